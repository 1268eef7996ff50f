// What an answer says of itself, by what the run has found out.
#include "server/profiling/run/answer.h"

#include <gtest/gtest.h>

#include <utility>

#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/render.h"

namespace mlprof::server {
namespace {

RunFacts Unproven() {
  RunFacts facts;
  facts.host.ceiling = {Cores(2.0), GiB(4)};
  facts.warm_up.emplace().need = {};
  return facts;
}

RunFacts Proven() {
  RunFacts facts = Unproven();
  phases::Proof proof;
  proof.limits = {Cores(1.0), MiB(128)};
  proof.passes.resize(3);
  for (phases::LimitedRun& run : proof.passes) {
    run.latencies.assign(300, 2000);
    run.trial.measurements.total_queries = 1000;
    run.trial.measurements.cpu_seconds_per_query = 0.002;
    run.trial.measurements.queries_per_second = 400;
  }
  facts.verification.emplace().limits = proof.limits;
  facts.verification->proof = proof;
  facts.tightness.emplace().proof = proof;
  for (const ResourceKind kind : {ResourceKind::kCpu, ResourceKind::kMemory}) {
    facts.tightness->tight_each.Set(kind, true);
  }
  CpuPoint half;
  half.cpu = Cores(0.5);
  facts.cpu.emplace().curve.points = {half};
  facts.plateau.emplace().trend = MemoryTrend::kFlat;
  return facts;
}

const Bound& MemoryOf(const Recommendation& answer) {
  return *answer.bounds.Find(ResourceKind::kMemory);
}

TEST(AnswerTest, SaysThatNoContainersHaveHeldItUntilTheyHave) {
  const auto unproven = AnswerOf(Unproven());
  ASSERT_TRUE(unproven);
  EXPECT_EQ(unproven->confidence, Confidence::kLow);
  EXPECT_EQ(MemoryOf(*unproven).because, "it is not proven in three fresh containers");
  const auto proven = AnswerOf(Proven());
  ASSERT_TRUE(proven);
  EXPECT_TRUE(proven->verified);
  EXPECT_EQ(proven->tight, true);
  EXPECT_TRUE(proven->rare_events);
  EXPECT_TRUE(proven->kubernetes);
  EXPECT_EQ(proven->curve.size(), 1U);
  EXPECT_EQ(MemoryOf(*proven).confidence, Confidence::kHigh);
  EXPECT_EQ(MemoryOf(*proven).because,
            "3 fresh containers held it, 3000 requests met no kill, and memory stays flat");
}

// That 0.9 cores and the answer's memory fell short of CPU three times on a noisy host.
RunFacts LeftUnprovenByNoise() {
  RunFacts facts = Proven();
  facts.noise.noisy = true;
  facts.tightness.reset();
  facts.verification->proof.reset();
  FailedTry short_of_cpu{{Cores(0.9), MiB(128)}, ResourceKind::kCpu};
  short_of_cpu.content_with_memory = true;
  facts.verification->failed.assign(3, short_of_cpu);
  return facts;
}

TEST(AnswerTest, SaysWhichNumberNoiseLeftUnprovenAndLowersThatOneAlone) {
  const auto answer = AnswerOf(LeftUnprovenByNoise());
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->verified);
  EXPECT_EQ(answer->confidence, Confidence::kLow);
  const Bound& cpu = *answer->bounds.Find(ResourceKind::kCpu);
  EXPECT_EQ(cpu.confidence, Confidence::kLow);
  EXPECT_NE(cpu.because.find("3 tries with as much or less"), std::string::npos) << cpu.because;
  EXPECT_NE(cpu.because.find("--when-quiet"), std::string::npos) << cpu.because;
  EXPECT_EQ(MemoryOf(*answer).confidence, Confidence::kMedium) << MemoryOf(*answer).because;
}

TEST(AnswerTest, SaysThatAFewRequestsDecidedItsCpuAndHowLittleMayBeEnough) {
  RunFacts facts = Proven();
  EXPECT_EQ(AnswerOf(facts)->bounds.Find(ResourceKind::kCpu)->confidence, Confidence::kHigh);
  FailedTry refused{{Cores(0.8), MiB(128)}, ResourceKind::kCpu};
  refused.tail.emplace().requests = 465;
  refused.tail->stopped_share = 5.0 / 465;
  facts.tightness->failed = {refused};
  const auto answer = AnswerOf(facts);
  ASSERT_TRUE(answer);
  const Bound& cpu = *answer->bounds.Find(ResourceKind::kCpu);
  EXPECT_EQ(cpu.confidence, Confidence::kMedium);
  EXPECT_NE(cpu.because.find("from 0.8 cores on"), std::string::npos) << cpu.because;
  EXPECT_EQ(cpu.low, Cores(0.8));
  EXPECT_FALSE(cpu.low_failed);
  EXPECT_EQ(MemoryOf(*answer).confidence, Confidence::kHigh);
}

TEST(AnswerTest, SaysThatItsOwnP99HangsOnAFewRequests) {
  RunFacts facts = Proven();
  Tail tail;
  tail.counted = true;
  tail.requests = 299;
  tail.stopped_share = 2.0 / 299;
  for (phases::LimitedRun& run : facts.tightness->proof.passes) run.tail = tail;
  const auto because = [&] { return AnswerOf(facts)->bounds.Find(ResourceKind::kCpu)->because; };
  EXPECT_NE(because().find("stopped 6 of 897 requests"), std::string::npos) << because();
  for (phases::LimitedRun& run : facts.tightness->proof.passes) {
    run.fresh_tail = std::exchange(run.tail, Tail{.counted = true, .requests = 299});
  }
  EXPECT_NE(because().find("stopped 6 of 897 requests"), std::string::npos)
      << "over fresh connections: " << because();
  facts.objective.latency_ms = {{"p95", 5}};
  EXPECT_EQ(because().find("stopped"), std::string::npos) << "p99 was not asked for: " << because();
}

TEST(AnswerTest, LowersUnprovenMemoryTooWhereItIsInDoubt) {
  const auto of_memory = [](auto change) {
    RunFacts facts = LeftUnprovenByNoise();
    change(facts);
    return MemoryOf(*AnswerOf(facts)).confidence;
  };
  EXPECT_EQ(of_memory([](RunFacts&) {}), Confidence::kMedium);
  EXPECT_EQ(of_memory([](RunFacts& facts) {
              facts.verification->failed.front().shortage = ResourceKind::kMemory;
            }),
            Confidence::kLow);
  EXPECT_EQ(of_memory([](RunFacts& facts) { facts.plateau->trend = MemoryTrend::kGrowing; }),
            Confidence::kLow);
  EXPECT_EQ(of_memory([](RunFacts& facts) {
              for (FailedTry& tried : facts.verification->failed) tried.limits.Set(MiB(144));
            }),
            Confidence::kLow)
      << "with more than the answer's";
  EXPECT_EQ(of_memory([](RunFacts& facts) {
              for (FailedTry& tried : facts.verification->failed) tried.content_with_memory = false;
            }),
            Confidence::kLow)
      << "that served nothing";
}

TEST(AnswerTest, IsNotVerifiedWhereOneMoreContainerAtItDidNotHold) {
  RunFacts facts = Proven();
  facts.sustained.emplace().unsteady = true;
  const auto answer = AnswerOf(facts);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->verified);
  EXPECT_EQ(answer->tight, std::nullopt);
  EXPECT_EQ(MemoryOf(*answer).tight, std::nullopt);
  EXPECT_EQ(answer->rare_events, std::nullopt);
  EXPECT_EQ(answer->kubernetes, std::nullopt);
  EXPECT_TRUE(answer->curve.empty());
  EXPECT_EQ(answer->max_concurrency, std::nullopt);
  EXPECT_EQ(MemoryOf(*answer).because,
            "one more container at these limits did not start, or did not bear the load");
}

TEST(AnswerTest, BeginsItsRangeWithAStepThatFellShortOnceAndHeldTwice) {
  RunFacts facts = Proven();
  const Limits step = facts.tightness->proof.limits.With(MiB(112));
  facts.tightness->failed = {{.limits = step, .shortage = ResourceKind::kMemory}};
  EXPECT_TRUE(MemoryOf(*AnswerOf(facts)).low_failed);
  EXPECT_EQ(MemoryOf(*AnswerOf(facts)).tight, true);
  facts.tightness->tight_each.Set(ResourceKind::kMemory, false);
  EXPECT_EQ(MemoryOf(*AnswerOf(facts)).tight, false);
  EXPECT_EQ(MemoryOf(*AnswerOf(facts)).low, MiB(112));
  EXPECT_FALSE(MemoryOf(*AnswerOf(facts)).low_failed);
  facts.tightness->failed.front().limits = step.With(MiB(96));
  EXPECT_TRUE(MemoryOf(*AnswerOf(facts)).low_failed) << "what lies below the step held never";
}

TEST(AnswerTest, BoundsNoKillsOfAModelThatGrows) {
  RunFacts facts = Proven();
  ASSERT_TRUE(AnswerOf(facts)->rare_events);
  facts.plateau->trend = MemoryTrend::kGrowing;
  EXPECT_EQ(AnswerOf(facts)->rare_events, std::nullopt) << "with every request";
  facts.plateau->trend = MemoryTrend::kFlat;
  facts.row_pass.emplace().growth = InputGrowth{4000, 65536};
  EXPECT_EQ(AnswerOf(facts)->rare_events, std::nullopt) << "with every distinct row";
}

TEST(AnswerTest, MemoryHoldsWhatMeetsAtTheLimitAndDidNotAtTheCeiling) {
  RunFacts facts = Unproven();
  facts.load.emplace().in_flight = 4;
  facts.in_flight = 6;
  const Bytes without = NeedOf(facts).memory.Floor();
  facts.curve.emplace().memory_per_request = MiB(10);
  EXPECT_EQ(NeedOf(facts).memory.in_flight, 6);
  EXPECT_EQ(NeedOf(facts).memory.Floor(), without + MiB(20));
}

TEST(AnswerTest, NeedsTheFilesThatItsContainersDidNotPayFor) {
  RunFacts facts = Unproven();
  phases::StartFacts& starts = facts.starts.emplace();  // whose peak decides
  starts.peaks = {MiB(20)};
  starts.seconds = starts.cpu_seconds = {1.0};
  facts.verification.emplace().limits = {Cores(1.0), MiB(32)};
  facts.verification->files_of_others = MiB(300);
  const auto answer = AnswerOf(facts);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->requested.memory(), MiB(336));
  EXPECT_EQ(MemoryOf(*answer).low, MiB(320));
  EXPECT_NE(MemoryOf(*answer).reason.find("another container paid for"), std::string::npos)
      << MemoryOf(*answer).reason;
  facts.plateau.emplace();
  Profile profile;
  Render(facts, {}, profile);
  ASSERT_TRUE(profile.findings.memory);
  EXPECT_EQ(profile.findings.memory->files_of_others, MiB(300));
}

}  // namespace
}  // namespace mlprof::server
