#include "server/analysis/verdict.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

VerificationEvidence Survived(std::int64_t requests) {
  VerificationEvidence evidence;
  evidence.became_ready = true;
  evidence.requests = requests;
  evidence.throttled_share = 0.2;
  evidence.reference_p95_ms = 10;
  return evidence;
}

LatencyDistribution All(std::uint32_t ms) {
  return LatencyDistribution(std::vector<std::uint32_t>(100, ms * 1000));
}

TEST(JudgeTest, PassesWithinTenPercentOfTheReference) {
  EXPECT_TRUE(Judge(Survived(100), All(11), {}).passed);
}

TEST(JudgeTest, AsksForCpuWhereTheQuotaSlowedTheModel) {
  const Verdict verdict = Judge(Survived(100), All(12), {});
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.shortage, ResourceKind::kCpu);
}

TEST(JudgeTest, DoesNotBlameAQuotaThatDidNotThrottle) {
  VerificationEvidence evidence = Survived(100);
  evidence.throttled_share = 0.005;
  EXPECT_TRUE(Judge(evidence, All(30), {}).passed);
}

TEST(JudgeTest, AsksForMemoryWhereASlowModelReadsItsPagesAgain) {
  VerificationEvidence evidence = Survived(100);
  evidence.throttled_share = 0;
  evidence.read_back = {5000, 100};
  EXPECT_EQ(Judge(evidence, All(30), {}).shortage, ResourceKind::kMemory);
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
}

// The few requests of such a load need not be the rows that its p95 is judged by.
TEST(JudgeTest, FailsALoadThatCouldNotHoldAnyMoreWhateverItsPercentile) {
  VerificationEvidence evidence = Survived(10);
  evidence.p95_ms = 1;
  evidence.read_back = {5000, 10};
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
  evidence.hopeless_from_ms = 80;
  const Verdict verdict = Judge(evidence, All(10), {});
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.shortage, ResourceKind::kMemory);
  EXPECT_EQ(verdict.sentence.find("none of 10 requests took less than 80.0 ms"), 0U)
      << verdict.sentence;
}

TEST(JudgeTest, CountsPagesReadAgainBesideTheRequestsThatCameMeanwhile) {
  VerificationEvidence evidence = Survived(100);
  evidence.throttled_share = 0;
  evidence.read_back = {50, 10};  // of a load whose beginning is not counted
  EXPECT_EQ(Judge(evidence, All(30), {}).shortage, ResourceKind::kMemory);
}

TEST(JudgeTest, AsksForCpuWhereARateIsNotServed) {
  VerificationEvidence evidence = Survived(100);
  evidence.scheduled_rate = 50;
  evidence.measured_rate = 48;
  EXPECT_EQ(Judge(evidence, All(10), {}).shortage, ResourceKind::kCpu);
  evidence.measured_rate = 49.5;
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
}

TEST(JudgeTest, DoesNotBlameAQuotaThatDidNotThrottleForASlowRate) {
  VerificationEvidence evidence = Survived(100);
  evidence.scheduled_rate = 50;
  evidence.measured_rate = 50;
  evidence.throttled_share = 0;
  EXPECT_TRUE(Judge(evidence, All(30), {}).passed);
  evidence.measured_rate = 40;
  const Verdict verdict = Judge(evidence, All(30), {});
  EXPECT_TRUE(verdict.slow);
  EXPECT_FALSE(verdict.shortage);
}

TEST(JudgeTest, AsksForMemoryWhereAStartReadsItsPagesAgainAndAgain) {
  VerificationEvidence evidence;
  evidence.start_timed_out = true;
  evidence.read_back = {1'000'000, 0};
  EXPECT_EQ(Judge(evidence, All(5), {}).shortage, ResourceKind::kMemory);
}

TEST(JudgeTest, TakesRowsThatStandWithoutAResponseForAShortage) {
  VerificationEvidence evidence = Survived(0);
  evidence.stalled = true;
  evidence.throttled_share = 1.0;
  EXPECT_EQ(Judge(evidence, LatencyDistribution({}), {}).shortage, ResourceKind::kCpu);
  evidence.read_back = {100, 0};
  EXPECT_EQ(Judge(evidence, LatencyDistribution({}), {}).shortage, ResourceKind::kMemory);
}

TEST(JudgeTest, AsksForMemoryAfterAnOomKill) {
  VerificationEvidence evidence = Survived(100);
  evidence.oom_kills = 1;
  EXPECT_EQ(Judge(evidence, All(5), {}).shortage, ResourceKind::kMemory);
}

TEST(JudgeTest, AsksForMemoryWhereTheModelDidNotStart) {
  VerificationEvidence evidence;
  EXPECT_EQ(Judge(evidence, All(5), {}).shortage, ResourceKind::kMemory);
}

TEST(JudgeTest, AsksForCpuWhereTheModelStartedTooSlowly) {
  VerificationEvidence evidence;
  evidence.start_timed_out = true;
  EXPECT_EQ(Judge(evidence, All(5), {}).shortage, ResourceKind::kCpu);
}

TEST(JudgeTest, BlamesNoLimitForADeathWithoutAnOomKill) {
  VerificationEvidence evidence = Survived(100);
  evidence.died = true;
  const Verdict verdict = Judge(evidence, All(5), {});
  EXPECT_FALSE(verdict.passed);
  EXPECT_FALSE(verdict.shortage);
}

TEST(JudgeTest, CountsErrorsAgainstTheAllowedShare) {
  VerificationEvidence evidence = Survived(100);
  evidence.failures = 2;
  EXPECT_FALSE(Judge(evidence, All(5), {}).passed);
  Objective tolerant;
  tolerant.max_error_rate = 0.02;
  EXPECT_TRUE(Judge(evidence, All(5), tolerant).passed);
}

TEST(JudgeTest, TakesErrorsThatOnlyTheQuotaBringsForAShortageOfCpu) {
  VerificationEvidence evidence = Survived(100);
  evidence.failures = 10;
  evidence.new_failures = 10;
  evidence.reference_error_share = 0.02;
  evidence.throttled_share = 0.5;
  EXPECT_EQ(Judge(evidence, All(5), {}).shortage, ResourceKind::kCpu);
  evidence.throttled_share = 0;
  EXPECT_FALSE(Judge(evidence, All(5), {}).shortage);
  // Two may be chance.
  evidence.throttled_share = 0.5;
  evidence.new_failures = 2;
  EXPECT_FALSE(Judge(evidence, All(5), {}).shortage);
  evidence.new_failures = 10;
  // As many failed without a limit.
  evidence.throttled_share = 0.5;
  evidence.reference_error_share = 0.05;
  EXPECT_FALSE(Judge(evidence, All(5), {}).shortage);
}

TEST(JudgeTest, LeavesErrorsUnexplainedThatNoReferenceHadAndThatNameNoHeap) {
  VerificationEvidence evidence = Survived(100);
  evidence.failures = evidence.new_failures = 10;
  EXPECT_FALSE(Judge(evidence, All(5), {}).unexplained) << "there is no reference";
  evidence.reference_error_share = 0;
  EXPECT_TRUE(Judge(evidence, All(5), {}).unexplained);
  evidence.throttled_share = 0.5;
  EXPECT_TRUE(Judge(evidence, All(5), {}).unexplained) << "short of CPU, or of memory";
  evidence.full_heap = "MemoryError";
  EXPECT_FALSE(Judge(evidence, All(5), {}).unexplained);
  evidence.full_heap.clear();
  evidence.new_failures = 2;
  EXPECT_FALSE(Judge(evidence, All(5), {}).unexplained) << "two may be chance";
  evidence.new_failures = 10;
  evidence.reference_error_share = 0.05;
  EXPECT_FALSE(Judge(evidence, All(5), {}).unexplained) << "nearly as many failed without a limit";
}

TEST(JudgeTest, FailsWithoutAnyResponse) {
  EXPECT_FALSE(Judge(Survived(0), LatencyDistribution({}), {}).passed);
  // Warmed up, and then the budget ended.
  EXPECT_FALSE(Judge(Survived(100), LatencyDistribution({}), {}).passed);
}

TEST(JudgeTest, HoldsEachLatencyObjective) {
  Objective objective;
  objective.latency_ms = {{"p50", 20}, {"p99", 40}};
  EXPECT_TRUE(Judge(Survived(100), All(20), objective).passed);
  EXPECT_EQ(Judge(Survived(100), All(21), objective).shortage, ResourceKind::kCpu);
}

TEST(JudgeTest, AsksForNothingWhereMoreCpuCannotHelpTheObjective) {
  Objective objective;
  objective.latency_ms = {{"p95", 5}};
  VerificationEvidence evidence = Survived(100);
  evidence.throttled_share = 0;
  const Verdict verdict = Judge(evidence, All(20), objective);
  EXPECT_FALSE(verdict.passed);
  EXPECT_FALSE(verdict.shortage);
}

TEST(JudgeTest, TakesTheObjectiveInPlaceOfTheReference) {
  Objective objective;
  objective.latency_ms = {{"p95", 100}};
  EXPECT_TRUE(Judge(Survived(100), All(90), objective).passed);
}

VerificationEvidence AtHalfTheRate() {
  VerificationEvidence evidence = Survived(1500);
  evidence.rate = 502;
  evidence.reference_rate = 973;
  return evidence;
}

TEST(JudgeTest, AsksForTheThroughputOfTheReferenceInAClosedLoop) {
  VerificationEvidence evidence = AtHalfTheRate();
  EXPECT_EQ(Judge(evidence, All(10), {}).shortage, ResourceKind::kCpu);
  EXPECT_TRUE(Judge(evidence, All(10), {}).beside_reference);
  evidence.rate = 0.95 * 973;
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
  evidence = AtHalfTheRate();
  evidence.throttled_share = 0.005;  // the quota did not hold it back
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
}

Tail Stopped(double share, bool counted) {
  Tail tail{50.6, 1.1, share, share, counted};
  return tail;
}

TEST(JudgeTest, AsksForCpuWhereTheQuotaStopsTheSlowestRequestsForTooLong) {
  VerificationEvidence evidence = Survived(1500);
  evidence.tail = Stopped(0.02, true);
  const Verdict verdict = Judge(evidence, All(10), {});
  EXPECT_EQ(verdict.shortage, ResourceKind::kCpu);
  ASSERT_TRUE(verdict.tail);
  EXPECT_EQ(verdict.tail->p99_ms, 50.6);
}

TEST(JudgeTest, TellsOfAThrottledTailThatIsNotProven) {
  VerificationEvidence evidence = Survived(200);
  evidence.tail = Stopped(0.02, false);
  const Verdict verdict = Judge(evidence, All(10), {});
  EXPECT_TRUE(verdict.passed);
  EXPECT_TRUE(verdict.tail);
  evidence.tail = Stopped(0.01, true);
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
  EXPECT_FALSE(Judge(evidence, All(10), {}).tail);
}

TEST(JudgeTest, AnObjectiveForLatencyReplacesRateAndTailAsWell) {
  Objective objective;
  objective.latency_ms = {{"p95", 100}};
  VerificationEvidence evidence = AtHalfTheRate();
  evidence.tail = Stopped(0.5, true);
  const Verdict verdict = Judge(evidence, All(90), objective);
  EXPECT_TRUE(verdict.passed);
  EXPECT_TRUE(verdict.tail);  // which is told
}

TEST(JudgeTest, AsksForMemoryWhereAHeapWasFullUnderRowsThatMet) {
  VerificationEvidence evidence = Survived(100);
  evidence.full_heap_in_burst = "java.lang.OutOfMemoryError";
  const Verdict verdict = Judge(evidence, All(10), {});
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.shortage, ResourceKind::kMemory);
  EXPECT_NE(verdict.sentence.find("java.lang.OutOfMemoryError"), std::string::npos);
}

TEST(JudgeTest, RefusesRowsThatMetAnErrorWithSettingsOfAProfilesOwn) {
  VerificationEvidence evidence = Survived(100);
  EXPECT_TRUE(Judge(evidence, All(10), {}).passed);
  evidence.failed_in_burst = true;
  const Verdict verdict = Judge(evidence, All(10), {});
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.shortage, std::nullopt) << "more of the container's memory mends nothing";
}

TEST(JudgeTest, BlamesAFullHeapForErrorsThatOnlyTheLimitBrings) {
  VerificationEvidence evidence = Survived(100);
  evidence.failures = evidence.new_failures = 5;
  evidence.full_heap = "MemoryError";
  EXPECT_EQ(Judge(evidence, All(10), {}).shortage, ResourceKind::kMemory);
  // A row that asks for more than there is fails with all memory, too.
  evidence.new_failures = 0;
  EXPECT_NE(Judge(evidence, All(10), {}).shortage, ResourceKind::kMemory);
}

}  // namespace
}  // namespace mlprof::server
