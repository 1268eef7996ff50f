// The part of a run at limits that has a connection for each request.
#include <gtest/gtest.h>

#include "tests/server/profiling/limited_run_bench.h"

namespace mlprof::server::phases {
namespace {

// Held connections are not the matter: their reference is ten times slower than the model.
Yardstick FreshMeasuredAt(const LabBench& bench, double p95_ms) {
  Yardstick yardstick = bench.MeasuredAt(10 * kFullSpeedMs);
  yardstick.workload.objective.connections = ConnectionUse::kBoth;
  Look look;
  for (std::uint32_t i = 0; i < 100; ++i) {
    look.visits.push_back({i % 20, static_cast<std::uint32_t>(p95_ms * 1000)});
  }
  yardstick.reference = WithFreshLook(yardstick.reference, look);
  return yardstick;
}

TEST(FreshPartTest, JudgesFreshConnectionsBesideALookOfNowWhereTheyWereFasterBefore) {
  LabBench bench;
  const LimitedRun held = RunAt(bench, FreshMeasuredAt(bench, kFullSpeedMs / 2), Cores(0.95));
  EXPECT_TRUE(held.verdict.passed) << held.verdict.sentence;
  EXPECT_EQ(held.reference.fresh_looks.size(), 2U);
  EXPECT_TRUE(held.reference.looks.empty()) << "held ones were fast enough";
  EXPECT_EQ(held.trial.limits.cpu(), Cores(0.95));
}

TEST(FreshPartTest, ProvesNothingOfFreshConnectionsThatWereNeverSeenWithoutALimit) {
  LabBench bench;
  Yardstick yardstick = FreshMeasuredAt(bench, kFullSpeedMs);
  EXPECT_FALSE(RunAt(bench, yardstick, Cores(1.0)).lacks);
  yardstick.reference.fresh_looks.clear();
  const LimitedRun run = RunAt(bench, yardstick, Cores(1.0));
  EXPECT_TRUE(run.verdict.passed);
  EXPECT_TRUE(run.lacks);
}

TEST(FreshPartTest, FailsALimitThatIsTooSlowForFreshConnectionsAlone) {
  LabBench bench;
  const LimitedRun slow = RunAt(bench, FreshMeasuredAt(bench, kFullSpeedMs / 2), Cores(0.8));
  EXPECT_FALSE(slow.verdict.passed);
  EXPECT_TRUE(slow.verdict.fresh);
  EXPECT_EQ(slow.verdict.shortage, ResourceKind::kCpu);
}

// A row takes twice as long as it did when the reference was taken, and as much work.
LimitedRun RunWithBothKinds(LabBench& bench, Cores cpu) {
  Yardstick yardstick = bench.MeasuredAt(kFullSpeedMs / 2, kFullSpeedMs);
  yardstick.workload.objective.connections = ConnectionUse::kBoth;
  yardstick.reference = WithFreshLook(yardstick.reference, yardstick.reference.looks.front());
  return RunAt(bench, yardstick, cpu);
}

TEST(FreshPartTest, SendsNothingOverFreshConnectionsWhereHeldOnesAreTooSlowAlready) {
  LabBench bench;
  const LimitedRun slow = RunWithBothKinds(bench, Cores(0.8));
  EXPECT_FALSE(slow.verdict.passed);
  EXPECT_FALSE(slow.verdict.fresh);
  EXPECT_FALSE(slow.fresh_latencies);
}

TEST(FreshPartTest, SendsThemOnceHeldOnesHoldBesideALookOfNow) {
  LabBench bench;
  const LimitedRun held = RunWithBothKinds(bench, Cores(0.97));
  EXPECT_TRUE(held.verdict.passed) << held.verdict.sentence;
  EXPECT_EQ(held.reference.looks.size(), 2U);
  ASSERT_TRUE(held.fresh_latencies);
  EXPECT_GE(held.fresh_latencies->size(), 59U);
  EXPECT_FALSE(held.lacks);
}

}  // namespace
}  // namespace mlprof::server::phases
