#include "server/profiling/phases/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/lab_bench.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

Profile Profiled(const FakeModel& model, int rows) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(rows));
  const auto request = bench.Request("p", std::chrono::seconds(300));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

Profile ProfileSlowRows(int rows) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(100);
  return Profiled(model, rows);
}

bool Sampled(const Profile& profile) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == "rowsSampled") return true;
  }
  return false;
}

TEST(VerifyTest, HasLowConfidenceWhereNotEveryRowWasReplayed) {
  const Profile profile = ProfileSlowRows(3000);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(Sampled(profile));
  ASSERT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kCpu)->confidence, Confidence::kLow);
  EXPECT_EQ(profile.recommendation->bounds.Find(ResourceKind::kMemory)->confidence,
            Confidence::kLow);
}

TEST(VerifyTest, HasMoreConfidenceWhereEveryRowWasReplayed) {
  const Profile profile = ProfileSlowRows(50);
  ASSERT_FALSE(Sampled(profile));
  ASSERT_TRUE(profile.recommendation->verified);
  EXPECT_NE(profile.recommendation->confidence, Confidence::kLow);
}

TEST(VerifyTest, ProvesNothingWithFewerRequestsThanP95Takes) {
  FakeModel model;
  model.cpu_per_row = std::chrono::seconds(2);
  LabBench bench(model);
  const Verification brief =
      Verify(bench.lab, bench.MeasuredAt(2000), {Cores(1.0), MiB(300)}, [](const Verification&) {});
  EXPECT_FALSE(brief.proof);
  EXPECT_NE(brief.why_not.find("p95 takes 59 requests"), std::string::npos) << brief.why_not;
}

TEST(VerifyTest, ProvesNothingWhereTheModelDidNotPayForItsFilesAndAddsThem) {
  FakeModel model;
  const Profile paid = Profiled(model, 20);
  ASSERT_TRUE(paid.recommendation && paid.recommendation->verified);
  model.files_of_others = MiB(300);
  const Profile profile = Profiled(model, 20);
  ASSERT_TRUE(profile.recommendation.has_value());
  EXPECT_FALSE(profile.recommendation->verified);
  EXPECT_GE(profile.recommendation->requested.memory(),
            paid.recommendation->requested.memory() + MiB(300));
  const auto why = std::ranges::find(profile.warnings, std::string("unverified"), &Warning::code);
  ASSERT_NE(why, profile.warnings.end());
  EXPECT_NE(why->message.find("charged to another container"), std::string::npos) << why->message;
}

class VerifyTrialsTest : public testing::Test {
 protected:
  static constexpr Limits kLimits{Cores(1.0), MiB(224)};

  Verification Verified(LabBench& bench, const Limits& first = kLimits) {
    return Verify(bench.lab, bench.MeasuredAt(2), first, [](const Verification&) {});
  }
  static void Ask(LabBench& bench, double p95_ms) {
    bench.workload.objective.latency_ms = {{"p95", p95_ms}};
  }
};

TEST_F(VerifyTrialsTest, GoesOnFromWhatWasTriedAtTheSameLimits) {
  LabBench bench;
  Yardstick yardstick = bench.MeasuredAt(2);
  auto begun = TryToProve(bench.lab, yardstick, kLimits, 1);
  ASSERT_TRUE(begun && begun->limits() == kLimits);
  const Verification verified = Verify(
      bench.lab, yardstick, kLimits, [](const Verification&) {}, *std::move(begun));
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.proof->passes.size(), 3U);
  EXPECT_EQ(bench.runtime.launches().size(), 3U);
}

TEST_F(VerifyTrialsTest, AStepTriedInPlaceThatIsCanceledLeavesTheProofAndNoContainer) {
  FakeModel model;
  LabBench* bench = nullptr;
  model.status = [&](const std::string&) {
    const bool step = bench->runtime.cpu_in_force() < kLimits.cpu();
    if (step) bench->run_stop.Ask(StopReason::kUser);
    return 200;
  };
  LabBench canceled(model);
  bench = &canceled;
  const Verification verification =
      Verify(canceled.lab, canceled.MeasuredAt(2, 2), kLimits, [](const Verification&) {});
  EXPECT_TRUE(canceled.run_stop.reason());
  ASSERT_TRUE(verification.proof) << verification.why_not;
  ASSERT_TRUE(verification.cpu_step);
  EXPECT_EQ(verification.cpu_step->failures, 0);
  EXPECT_EQ(canceled.runtime.running(), 0);
}

TEST_F(VerifyTrialsTest, SeesTwiceThatNoLimitHoldsALatency) {
  LabBench bench;
  Ask(bench, 1);
  const Verification verification = Verified(bench, LabBench::kCeiling);
  EXPECT_FALSE(verification.proof);
  ASSERT_TRUE(verification.not_held);
  EXPECT_EQ(verification.not_held->limits, LabBench::kCeiling);
  EXPECT_EQ(bench.runtime.launches().size(), 2U);
}

TEST_F(VerifyTrialsTest, NarrowsTheGapThatRaisingMemoryLeft) {
  FakeModel model;
  model.serving_peak = MiB(1610);
  LabBench bench(model);
  // A fifth more than 1600 MiB are 1920; a tenth less than those are 1728.
  const Verification verified = Verified(bench, {Cores(1.0), MiB(1600)});
  ASSERT_TRUE(verified.proof);
  EXPECT_EQ(verified.proof->passes.size(), 3U);
  EXPECT_EQ(verified.limits.memory(), MiB(1728));
  EXPECT_EQ(verified.proof->limits, verified.limits);
}

TEST_F(VerifyTrialsTest, TakesNothingInTheGapThatWasFilledToTheBrim) {
  FakeModel model;
  model.serving_peak = MiB(1700);
  LabBench bench(model);
  EXPECT_EQ(Verified(bench, {Cores(1.0), MiB(1600)}).limits.memory(), MiB(1920));
}

TEST_F(VerifyTrialsTest, GoesOnAboveWhatWasFilledToTheBrim) {
  FakeModel model;
  model.serving_peak = MiB(215);
  LabBench bench(model);
  // 160 fail and 272 hold; halfway 224 hold, of which 215 are used.
  EXPECT_EQ(Verified(bench, {Cores(1.0), MiB(160)}).limits.memory(), MiB(240));
}

TEST_F(VerifyTrialsTest, SaysNothingOfTheObjectiveWhereMemoryKills) {
  FakeModel model;
  model.serving_peak = GiB(2);
  LabBench bench(model, 20, {Cores(2.0), GiB(1)});
  Ask(bench, 1);
  EXPECT_FALSE(Verified(bench, {Cores(2.0), GiB(1)}).not_held);
}

TEST_F(VerifyTrialsTest, SaysNothingOfAnObjectiveThatIsTheModelsOwnPace) {
  LabBench bench;
  Verification verification =
      Verify(bench.lab, bench.MeasuredAt(0.5), LabBench::kCeiling, [](const Verification&) {});
  EXPECT_FALSE(verification.not_held);
}

// What the first try that failed says, where other work has nearly all cores or nothing else runs.
FailedTry FirstFailure(const FakeModel& model, bool busy) {
  LabBench bench(model);
  bench.workload.objective.latency_ms = {{"p95", 5}};
  bench.runtime.host_load = [&bench, busy] {
    HostLoad load;
    load.at = bench.runtime.clock().Now();
    load.busy_seconds = busy ? 1.9 * std::chrono::duration<double>(load.at).count() : 0;
    return Result<HostLoad>(load);
  };
  const Verification verification =
      Verify(bench.lab, bench.MeasuredAt(2), {Cores(1.0), MiB(400)}, [](const Verification&) {});
  EXPECT_FALSE(verification.failed.empty());
  return verification.failed.empty() ? FailedTry() : verification.failed.front();
}

TEST_F(VerifyTrialsTest, ABoundIsNoTryThatOtherWorkMadeSlow) {
  FakeModel model;
  model.pages_read_back = 5;
  model.sleeps_more = [] { return std::chrono::milliseconds(10); };
  for (const bool busy : {false, true}) {
    const FailedTry failed = FirstFailure(model, busy);
    EXPECT_EQ(failed.shortage, ResourceKind::kMemory);
    EXPECT_EQ(failed.disturbed, busy);
  }
}

TEST_F(VerifyTrialsTest, ABoundIsATryThatReadItsFilesBackWhateverElseRan) {
  FakeModel model;
  model.hot_file = MiB(300);
  for (const bool busy : {false, true}) {
    const FailedTry failed = FirstFailure(model, busy);
    EXPECT_EQ(failed.shortage, ResourceKind::kMemory);
    EXPECT_FALSE(failed.disturbed);
  }
}

}  // namespace
}  // namespace mlprof::server::phases
