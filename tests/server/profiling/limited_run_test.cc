#include "server/profiling/phases/limited_run.h"

#include <gtest/gtest.h>

#include "server/profiling/phases/sustained_load.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

// A row of the imitated model takes 2 ms at full speed.
constexpr double kFullSpeedMs = 2;

LimitedRun RunAt(LabBench& bench, const Yardstick& yardstick, Cores cpu) {
  const LimitedRunPlan plan{{cpu, MiB(300)},
                            TrialPurpose::kVerification,
                            {std::chrono::seconds(3), 59, std::chrono::seconds(5)}};
  auto done = RunAtLimits(bench.lab, yardstick, plan);
  EXPECT_TRUE(done) << "the run ended";
  return done ? *std::move(done) : LimitedRun();
}

TEST(LimitedRunTest, HoldsALimitBesideAHostThatHasBecomeSlowerAndTellsThat) {
  LabBench bench;
  const LimitedRun held =
      RunAt(bench, bench.MeasuredAt(kFullSpeedMs / 2), Cores(0.95));  // twice as fast then
  EXPECT_TRUE(held.verdict.passed) << held.verdict.sentence;
  EXPECT_EQ(held.trial.limits.cpu(), Cores(0.95));
  EXPECT_TRUE(bench.host.noisy());
}

TEST(LimitedRunTest, FailsALimitThatIsTooSlowBesideTheHostOfNowToo) {
  LabBench bench;
  const LimitedRun slow = RunAt(bench, bench.MeasuredAt(kFullSpeedMs / 2), Cores(0.8));
  EXPECT_FALSE(slow.verdict.passed);
  EXPECT_EQ(slow.verdict.shortage, ResourceKind::kCpu);
  EXPECT_EQ(slow.trial.limits.cpu(), Cores(0.8));
}

TEST(LimitedRunTest, JudgesOtherSettingsBesideTheModelWithoutThem) {
  LabBench bench;
  Yardstick yardstick = bench.MeasuredAt(kFullSpeedMs / 2);
  yardstick.setup.environment = {{"OMP_NUM_THREADS", "1"}};
  const LimitedRun run = RunAt(bench, yardstick, Cores(0.95));
  EXPECT_FALSE(run.verdict.passed);
  EXPECT_EQ(run.trial.environment, yardstick.setup.environment);
}

TEST(LimitedRunTest, GivesTheFastestLookSoFar) {
  LabBench bench;
  const LimitedRun run = RunAt(bench, bench.MeasuredAt(2 * kFullSpeedMs), Cores(2.0));
  EXPECT_NEAR(run.reference.p95_ms.value_or(0), kFullSpeedMs, 0.1);
}

TEST(LimitedRunTest, LeavesItsTrialItsLogAndWhatWasSeenOfItsContainer) {
  LabBench bench;
  RunAt(bench, bench.MeasuredAt(kFullSpeedMs), Cores(1.0));
  ASSERT_EQ(bench.journal.trials.size(), 1U);
  EXPECT_EQ(bench.journal.trials[0].purpose, TrialPurpose::kVerification);
  EXPECT_EQ(bench.journal.log, "--- container 1\nmodel log\n");
  ASSERT_EQ(bench.lab.closed().size(), 1U);
  EXPECT_EQ(bench.lab.closed()[0].peak_unreclaimable, MiB(200));
  EXPECT_EQ(bench.runtime.running(), 0);
}

TEST(SustainedLoadTest, TellsOfAContainerThatDoesNotBearTheObjectivesLoad) {
  LabBench bench;
  ReplayCapacity capacity;
  capacity.requests_per_second = 10'000;
  const ProvenLoad proven{500};
  const Yardstick yardstick = bench.MeasuredAt(kFullSpeedMs);
  ASSERT_TRUE(CanMeasureSustainedLoad(bench.lab, yardstick, capacity, proven));
  const SustainedFacts facts = MeasureSustainedLoad(bench.lab, yardstick, {Cores(1.0), MiB(150)},
                                                    capacity, proven);  // serving takes 200
  EXPECT_TRUE(facts.unsteady);
  EXPECT_EQ(facts.requests_per_second, std::nullopt);
  EXPECT_EQ(bench.lab.closed().at(0).use, Use::kBeyond);
}

}  // namespace
}  // namespace mlprof::server::phases
