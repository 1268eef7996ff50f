// Models that take what their limit lets them take.
#include <gtest/gtest.h>

#include <algorithm>

#include "server/profiling/phases/tightness.h"
#include "server/profiling/phases/verify.h"
#include "tests/server/profiling/heap_model.h"
#include "tests/server/profiling/lab_bench.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

phases::Verification VerifiedFrom(LabBench& bench, Bytes memory, Bytes at_ceiling,
                                  double start_seconds = 1) {
  phases::Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.pace.start_seconds = start_seconds;
  yardstick.at_ceiling = {at_ceiling, 0.002};
  return phases::Verify(bench.lab, yardstick, {Cores(1.0), memory},
                        [](const phases::Verification&) {});
}

TEST(HeapByLimitTest, IsSearchedDownwardFromWhatItTookAtTheCeiling) {
  LabBench bench(AQuarterForTheHeap());
  const phases::Verification verified = VerifiedFrom(bench, MiB(1200), MiB(1084));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  ASSERT_TRUE(verified.heap);
  EXPECT_GE(verified.limits.memory(), MiB(440));
  EXPECT_LE(verified.limits.memory(), MiB(496));
  EXPECT_EQ(verified.heap->limit, verified.limits.memory());
  EXPECT_EQ(verified.heap->higher_limit, LabBench::kCeiling.memory());
  EXPECT_LT(verified.heap->used, verified.heap->used_there);
}

TEST(HeapByLimitTest, IsRecognisedAfterAStartThatTakesLongerThanTheLoad) {
  FakeModel model = AQuarterForTheHeap();
  model.start_time = std::chrono::seconds(20);
  LabBench bench(model);
  EXPECT_TRUE(VerifiedFrom(bench, MiB(1200), MiB(1084), 20).heap);
}

TEST(HeapByLimitTest, IsRecognisedByWhatItReservesWhereItFillsSlowly) {
  FakeModel model = AQuarterForTheHeap();
  model.garbage_per_row = KiB(1);
  model.reserves_heap = true;
  LabBench bench(model);
  // It took no more at the ceiling, and would be taken for one that keeps to itself.
  phases::Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.at_ceiling = {MiB(170), 0.002, GiB(1) + Scale(LabBench::kCeiling.memory(), 0.25)};
  const phases::Verification verified = phases::Verify(
      bench.lab, yardstick, {Cores(1.0), MiB(1200)}, [](const phases::Verification&) {});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  ASSERT_TRUE(verified.heap);
  EXPECT_GE(verified.limits.memory(), MiB(400));
  EXPECT_LE(verified.limits.memory(), MiB(448));
}

TEST(HeapByLimitTest, IsRaisedWhereItsHeapIsFull) {
  LabBench bench(AQuarterForTheHeap());
  // As under a ceiling of 1 GiB, where the heap was 256 MiB.
  const phases::Verification verified = VerifiedFrom(bench, MiB(352), MiB(316));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  ASSERT_FALSE(verified.failed.empty());
  EXPECT_EQ(verified.failed.front().shortage, ResourceKind::kMemory);
  EXPECT_GE(verified.limits.memory(), MiB(440));
  EXPECT_LE(verified.limits.memory(), MiB(496));
}

TEST(HeapByLimitTest, IsNotTakenForFullWhereTheRuntimeStillCompiles) {
  FakeModel model = AQuarterForTheHeap();
  model.compiling = std::chrono::milliseconds(4);
  model.compiled_after = 3000;
  LabBench bench(model);
  const phases::Verification verified = VerifiedFrom(bench, MiB(1200), MiB(1084));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  for (const FailedTry& attempt : verified.failed) {
    EXPECT_LT(attempt.limits.memory(), MiB(440)) << "its heap was full there";
  }
  EXPECT_LE(verified.limits.memory(), MiB(496));
}

TEST(HeapByLimitTest, IsNotAskedAgainForRowsThatItHasSeenWhereThoseComeFromACache) {
  FakeModel model = AQuarterForTheHeap();
  model.cpu_per_row = std::chrono::milliseconds(20);
  model.caches_responses = true;
  LabBench bench(model, 80);
  bench.workload.each_row_once = true;
  phases::Yardstick yardstick = bench.MeasuredAt(20);
  // Of the load at the ceiling, which the cache answered.
  yardstick.at_ceiling = {MiB(1084), 0.0005};
  const auto run = phases::RunAtLimits(bench.lab, yardstick,
                                       {{Cores(0.5), MiB(600)},
                                        TrialPurpose::kVerification,
                                        {std::chrono::seconds(3), 59, std::chrono::seconds(20)}});
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->verdict.passed) << run->verdict.sentence;
}

TEST(HeapByLimitTest, IsShortOfMemoryWhereItCollectsAllTheTime) {
  FakeModel model = AQuarterForTheHeap();
  model.collection = std::chrono::milliseconds(20);
  LabBench bench(model);
  const phases::Verification verified = VerifiedFrom(bench, MiB(480), MiB(1084));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  ASSERT_FALSE(verified.failed.empty());
  for (const FailedTry& attempt : verified.failed) {
    EXPECT_EQ(attempt.shortage, ResourceKind::kMemory);
  }
  EXPECT_GE(verified.failed.front().collecting_cost.value_or(0), kCollectingCost);
  EXPECT_EQ(verified.limits.cpu(), Cores(1.0));
  // Less than one row in twenty collects from 310 MiB of heap on.
  EXPECT_GE(verified.limits.memory(), MiB(1200));
}

TEST(HeapByLimitTest, IsTriedWithTwiceTheMemoryWhereItCollectsAllTheTime) {
  FakeModel model = AQuarterForTheHeap();
  model.collection = std::chrono::milliseconds(20);
  LabBench bench(model);
  const phases::Verification verified = VerifiedFrom(bench, MiB(480), MiB(1084));
  ASSERT_GE(verified.failed.size(), 2U);
  EXPECT_EQ(verified.failed[0].limits.memory(), MiB(480));
  EXPECT_EQ(verified.failed[1].limits.memory(), MiB(960));
}

// Each row in (heap - 100 MiB) / 10 MiB collects: from 220 MiB of heap on a request takes less than
// 1.25 times what it takes with all memory. The objective allows more.
struct WherePayingIsAllowed {
  explicit WherePayingIsAllowed(Bytes memory) : bench(Model()) {
    bench.workload.objective.latency_ms = {{"p95", 100}};
    verified = VerifiedFrom(bench, memory, MiB(1084));
  }
  static FakeModel Model() {
    FakeModel model = AQuarterForTheHeap();
    model.collection = std::chrono::milliseconds(6);
    return model;
  }
  LabBench bench;
  phases::Verification verified;
};

TEST(HeapByLimitTest, IsNotSearchedDownToWhereRequestsPayForTheMemory) {
  const WherePayingIsAllowed seen(MiB(1200));
  ASSERT_TRUE(seen.verified.proof) << seen.verified.why_not;
  EXPECT_FALSE(seen.verified.held_barely.empty());
  EXPECT_GE(seen.verified.limits.memory(), MiB(784));  // as dear as with 1200 MiB, but for 10%
  EXPECT_LE(seen.verified.limits.memory(), MiB(944));
}

TEST(HeapByLimitTest, GetsMoreWhereItHoldsButRequestsPayForTheMemory) {
  const WherePayingIsAllowed seen(MiB(480));
  ASSERT_TRUE(seen.verified.proof) << seen.verified.why_not;
  EXPECT_TRUE(seen.verified.failed.empty());
  ASSERT_FALSE(seen.verified.held_barely.empty());
  EXPECT_EQ(seen.verified.held_barely.front().bytes(), MiB(480));
  ASSERT_FALSE(seen.verified.paid.empty());
  EXPECT_EQ(seen.verified.paid.front().limits.memory(), MiB(480));
  EXPECT_GE(seen.verified.paid.front().cost, kCollectingCost);
  EXPECT_GE(seen.verified.limits.memory(), MiB(752));  // as dear as with 960 MiB, but for 10%
  EXPECT_LE(seen.verified.limits.memory(), MiB(960));
}

TEST(HeapByLimitTest, IsNotGivenAStepLessThatHoldsWhereRequestsPayForTheMemory) {
  WherePayingIsAllowed seen(MiB(480));
  ASSERT_TRUE(seen.verified.proof) << seen.verified.why_not;
  phases::Yardstick yardstick = seen.bench.MeasuredAt(2);
  yardstick.at_ceiling = {MiB(1084), 0.002};
  phases::Verification given = seen.verified;
  given.limits = given.proof->limits;
  const phases::Tightness lowered =
      phases::TestTightness(seen.bench.lab, yardstick, given, [](const phases::Tightness&) {});
  EXPECT_GE(lowered.proof.limits.memory(), MiB(752)) << "where a request is 10% dearer";
}

TEST(HeapByLimitTest, IsNotSoughtWithMoreMemoryAgainWhereThatMakesRequestsNoCheaper) {
  FakeModel model;
  model.serving_peak = MiB(200);
  LabBench bench(model);
  phases::Yardstick yardstick = bench.MeasuredAt(2);
  // Of another moment of the host: less memory, and four times the CPU, here.
  yardstick.at_ceiling = {MiB(320), 0.0005};
  const phases::Verification verified = phases::Verify(bench.lab, yardstick, {Cores(1.0), MiB(352)},
                                                       [](const phases::Verification&) {});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.limits.memory(), MiB(352));
  const auto& launches = bench.runtime.launches();
  EXPECT_EQ(std::count_if(launches.begin(), launches.end(),
                          [](const auto& launch) { return launch.limits.memory() == MiB(704); }),
            1);
}

TEST(HeapByLimitTest, IsNoWordForAModelThatKeepsToItself) {
  FakeModel model;
  model.serving_peak = MiB(200);
  LabBench bench(model);
  // It was seen to take more in a longer run; with all memory it takes no more than with these.
  const phases::Verification verified = VerifiedFrom(bench, MiB(352), MiB(320));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_FALSE(verified.heap);
  EXPECT_EQ(verified.limits.memory(), MiB(352));
}

Profile ProfileAt(const FakeModel& model, double ceiling_gib) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(40));
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.ceiling.memory = BytesFromGib(ceiling_gib);
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

TEST(HeapByLimitTest, HasTheSameAnswerUnderEveryCeiling) {
  for (const double ceiling_gib : {1.0, 2.0, 4.0}) {
    const Profile profile = ProfileAt(AQuarterForTheHeap(), ceiling_gib);
    ASSERT_TRUE(profile.recommendation) << ceiling_gib;
    const Recommendation& answer = *profile.recommendation;
    EXPECT_TRUE(answer.verified) << ceiling_gib;
    EXPECT_GE(answer.requested.memory(), MiB(432)) << ceiling_gib;
    EXPECT_LE(answer.requested.memory(), MiB(496)) << ceiling_gib;
    EXPECT_LE(*profile.measurements->max_utilized_memory, answer.requested.memory());
    EXPECT_TRUE(HasWarning(profile, "heapByLimit")) << ceiling_gib;
  }
}

// 60 MiB beside four fifths of the limit: 300 MiB of it, which it would fill; 400 with 5% to spare.
TEST(HeapByLimitTest, IsSearchedUnderEveryCeilingWhereItTakesMostOfIt) {
  FakeModel model = AQuarterForTheHeap();
  model.heap_share = 0.8;
  for (const double ceiling_gib : {1.0, 2.0, 4.0}) {
    const Profile profile = ProfileAt(model, ceiling_gib);
    ASSERT_TRUE(profile.recommendation) << ceiling_gib;
    const Recommendation& answer = *profile.recommendation;
    EXPECT_TRUE(answer.verified) << ceiling_gib;
    EXPECT_GE(answer.requested.memory(), MiB(300)) << ceiling_gib;
    EXPECT_LE(answer.requested.memory(), MiB(496)) << ceiling_gib;
    EXPECT_TRUE(HasWarning(profile, "heapByLimit")) << ceiling_gib;
  }
}

TEST(HeapByLimitTest, IsNoWordForAModelThatNeedsNearlyAllThereIs) {
  FakeModel model;
  model.serving_peak = MiB(900);
  const Profile profile = ProfileAt(model, 1);
  ASSERT_TRUE(profile.recommendation);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_GE(profile.recommendation->requested.memory(), MiB(900));
  EXPECT_FALSE(HasWarning(profile, "heapByLimit"));
}

TEST(HeapByLimitTest, ThatIsFullAtTheCeilingIsOutOfMemory) {
  FakeModel model = AQuarterForTheHeap();
  model.heap_live = GiB(1);
  const Profile profile = ProfileAt(model, 2);
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  ASSERT_TRUE(profile.error);
  EXPECT_EQ(profile.error->code, "OutOfMemory") << profile.error->message;
}

}  // namespace
}  // namespace mlprof::server
