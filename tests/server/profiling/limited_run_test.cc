#include "server/profiling/phases/limited_run.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/limited_run_bench.h"

namespace mlprof::server::phases {
namespace {

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

TEST(LimitedRunTest, EndsTheProfileWhereTheDiskRanFullAndSaysNothingOfTheLimit) {
  FakeModel model;
  model.status = [](const std::string&) { return 0; };
  model.killed_for_disk = KilledForDisk();
  LabBench bench(model);
  const auto run = RunAtLimits(bench.lab, bench.MeasuredAt(kFullSpeedMs), PlanAt(Cores(1.0)));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().state, ProfileState::kFailed);
  EXPECT_EQ(run.error().error->code, "DiskFull");
}

TEST(LimitedRunTest, TakesNothingOfAModelThatDrainsSinceItsContainerWasToldToEnd) {
  auto runtime = std::make_shared<FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime, rows = 0](const std::string&) mutable {
    if (++rows == 50) (*runtime)->TellContainersToEnd(true);
    return 200;
  };
  LabBench bench(model);
  *runtime = &bench.runtime;
  const auto run = RunAtLimits(bench.lab, bench.MeasuredAt(kFullSpeedMs), PlanAt(Cores(1.0)));
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().state, ProfileState::kCanceled);
  EXPECT_EQ(bench.run_stop.reason(), StopReason::kEngine);
}

TEST(LimitedRunTest, TakesTurnsWithTheReferenceOnlyWhereItIsSlowBesideIt) {
  LabBench bench;
  EXPECT_TRUE(RunAt(bench, bench.MeasuredAt(kFullSpeedMs), Cores(1.0)).reference.looks.empty());
  const LimitedRun slow = RunAt(bench, bench.MeasuredAt(kFullSpeedMs / 2), Cores(0.95));
  ASSERT_EQ(slow.reference.looks.size(), 1U);
  EXPECT_NEAR(slow.reference.p95_ms.value_or(0), kFullSpeedMs, 0.1);
}

TEST(LimitedRunTest, TakesAReferenceInTurnsThatHasWhatP99TakesWhereTheRunHasIt) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(30);
  LabBench bench(model);
  const LimitedRunPlan plan{{Cores(0.95), MiB(300)},
                            TrialPurpose::kVerification,
                            {std::chrono::seconds(3), 299, std::chrono::seconds(20)}};
  const auto run = RunAtLimits(bench.lab, bench.MeasuredAt(15), plan);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->reference.looks.size(), 1U);
  // In three seconds there are a hundred, beside which no p99 fails.
  EXPECT_GE(run->reference.looks.front().visits.size(), 299U);
}

TEST(LimitedRunTest, RefusesWhatServesLessThanTheReferenceDid) {
  LabBench bench;
  Yardstick yardstick = bench.MeasuredAt(kFullSpeedMs);
  const LimitedRun full = RunAt(bench, yardstick, Cores(0.94));
  EXPECT_TRUE(full.verdict.passed) << full.verdict.sentence;  // p95 within 1.10, nothing else known
  Look look;
  for (std::uint32_t i = 0; i < 100; ++i) look.visits.push_back({i % 20, 2000});
  look.requests_per_second = 500;
  yardstick.reference = WithLook(yardstick.reference, look);
  const LimitedRun slow = RunAt(bench, yardstick, Cores(0.94));
  EXPECT_FALSE(slow.verdict.passed);
  EXPECT_NE(slow.verdict.sentence.find("requests/s were served"), std::string::npos);
}

TEST(LimitedRunTest, IsJudgedBesideAHostOfNowWhereThatHasBecomeFaster) {
  const auto at = [](double cost_before) {
    LabBench bench;
    Yardstick yardstick = bench.MeasuredAt(2 * kFullSpeedMs);
    Look look;
    for (std::uint32_t i = 0; i < 100; ++i) look.visits.push_back({i % 20, 4000});
    look.requests_per_second = 250;
    look.cpu_seconds_per_query = cost_before;
    yardstick.reference = WithLook(yardstick.reference, look);
    const LimitedRun run = RunAt(bench, yardstick, Cores(0.8));
    EXPECT_EQ(bench.host.noisy(), cost_before > 0.003);
    return run;
  };
  // Half of full speed was the reference, and 0.8 of it would be fast enough.
  EXPECT_TRUE(at(0.002).verdict.passed);
  const LimitedRun now = at(0.004);
  EXPECT_FALSE(now.verdict.passed);
  EXPECT_EQ(now.reference.looks.size(), 1U) << "those of the slower host are gone";
}

TEST(LimitedRunTest, ProvesNothingOnAFasterHostThatItHasNoTimeToLookAt) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(200);
  const auto lacks_with = [&](double cost_before) {
    LabBench bench(model);
    Yardstick yardstick = bench.MeasuredAt(400);
    Look look;
    for (std::uint32_t i = 0; i < 100; ++i) look.visits.push_back({i % 20, 300'000});
    look.requests_per_second = 2.5;
    look.cpu_seconds_per_query = cost_before;
    yardstick.reference = WithLook(yardstick.reference, look);
    bench.runtime.PassTime(std::chrono::seconds(300 - 33));
    const LimitedRunPlan plan{{Cores(0.9), MiB(300)},
                              TrialPurpose::kVerification,
                              {std::chrono::seconds(3), 59, std::chrono::seconds(20)}};
    const auto run = RunAtLimits(bench.lab, yardstick, plan);
    EXPECT_TRUE(run && run->verdict.passed);
    return run ? run->lacks.value_or("") : "the run ended";
  };
  EXPECT_EQ(lacks_with(0.2), "");
  EXPECT_EQ(lacks_with(0.4).find("the host became faster"), 0U) << lacks_with(0.4);
}

TEST(LimitedRunTest, IsNotExcusedByALookThatWasDisturbed) {
  const auto runtime = std::make_shared<FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime](const std::string&) {
    // From when the load is over: other work makes each row take 20 ms more.
    const bool disturbed = (*runtime)->clock().Now() > std::chrono::milliseconds(5500);
    if (disturbed) (*runtime)->PassTime(std::chrono::milliseconds(20));
    return 200;
  };
  LabBench bench(model);
  *runtime = &bench.runtime;
  ASSERT_EQ(bench.runtime.clock().Now(), std::chrono::seconds(1));
  const LimitedRun slow = RunAt(bench, bench.MeasuredAt(kFullSpeedMs), Cores(0.8));
  EXPECT_LT(slow.trial.measurements.latency_p95_ms.value_or(0), 5) << "the load came before";
  EXPECT_FALSE(slow.verdict.passed);
  EXPECT_EQ(slow.verdict.shortage, ResourceKind::kCpu);
  EXPECT_TRUE(slow.reference.looks.empty());
  EXPECT_TRUE(bench.host.noisy());
}

// Rows of 2 ms, with more than one core of so much more.
FakeModel ThatContends(std::chrono::microseconds more) {
  FakeModel model;
  model.contention = more;
  return model;
}

TEST(LimitedRunTest, TellsALimitThatMakesRowsCheaperFromAFasterHost) {
  for (const int ms_more : {1, 4}) {
    LabBench bench(ThatContends(std::chrono::milliseconds(ms_more)));
    const double ms_before = kFullSpeedMs + ms_more;
    const Yardstick yardstick = bench.MeasuredAt(ms_before, ms_before);
    const LimitedRun run = RunAt(bench, yardstick, Cores(1.0));
    EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
    EXPECT_EQ(run.lacks, std::nullopt) << ms_more;
    EXPECT_FALSE(bench.host.noisy()) << ms_more;
    EXPECT_EQ(run.reference.looks.front().visits.size(),
              yardstick.reference.looks.front().visits.size())
        << "a look that is slower excuses nothing";
  }
}

TEST(LimitedRunTest, TakesNoDisturbedLookForOneThatShowsWhatALimitSaves) {
  const auto runtime = std::make_shared<FakeRuntime*>(nullptr);
  FakeModel model = ThatContends(std::chrono::microseconds(300));
  model.status = [runtime](const std::string&) {
    // From when the load is over, as other work would.
    const bool disturbed = (*runtime)->clock().Now() > std::chrono::milliseconds(5500);
    if (disturbed) (*runtime)->PassTime(std::chrono::milliseconds(20));
    return 200;
  };
  LabBench bench(model);
  *runtime = &bench.runtime;
  // The host has become faster: rows cost 0.85 of what they did.
  const LimitedRun run = RunAt(bench, bench.MeasuredAt(2.35, 2.35), Cores(0.8));
  EXPECT_LT(run.trial.measurements.latency_p95_ms.value_or(0), 5) << "the load came before";
  EXPECT_EQ(run.lacks.value_or("").find("the host became faster"), 0U) << run.verdict.sentence;
  EXPECT_TRUE(bench.host.noisy());
}

// Of a model that took `ms_before` for a row, all of it work, when the reference was taken.
bool LooksOnHostOfNow(LabBench& bench, double ms_before,
                      ConnectionUse connections = ConnectionUse::kKeepAlive) {
  Yardstick yardstick = bench.MeasuredAt(ms_before, ms_before);
  yardstick.workload.objective.connections = connections;
  yardstick.reference = WithFreshLook(yardstick.reference, yardstick.reference.looks.front());
  const LimitedRun run = RunAt(bench, yardstick, Cores(0.97));
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_EQ(run.lacks, std::nullopt);
  EXPECT_EQ(run.reference.looks.size(), 1U);
  // A look takes the place of those of a slower host.
  return run.reference.looks.front().visits.size() !=
         yardstick.reference.looks.front().visits.size();
}

TEST(LimitedRunTest, TakesNoLookOnAFasterHostWhereItIsAsMuchFaster) {
  for (const double ms_before : {kFullSpeedMs, 1.3 * kFullSpeedMs}) {
    LabBench bench;
    EXPECT_FALSE(LooksOnHostOfNow(bench, ms_before));
    EXPECT_EQ(bench.host.noisy(), ms_before > kFullSpeedMs) << "its speed is told all the same";
  }
}

TEST(LimitedRunTest, LooksWhereItIsFasterThanAnyHostBecomes) {
  LabBench bench;
  EXPECT_TRUE(LooksOnHostOfNow(bench, 1.5 * kFullSpeedMs)) << "it may be the limit";
}

TEST(LimitedRunTest, LooksOnAFasterHostWhereFreshConnectionsAreAskedForToo) {
  LabBench bench;
  EXPECT_TRUE(LooksOnHostOfNow(bench, 1.3 * kFullSpeedMs, ConnectionUse::kBoth));
}

TEST(LimitedRunTest, LooksOnAFasterHostThatSomethingElseUsed) {
  LabBench bench;
  NoiseEvidence others;
  others.host_cores = 2;
  others.foreign_cores = 0.9;
  bench.host.Judge(others);
  EXPECT_TRUE(LooksOnHostOfNow(bench, 1.3 * kFullSpeedMs));
}

TEST(LimitedRunTest, SendsNoRowTwiceThatMayComeButOnce) {
  LabBench bench({}, 70);
  bench.workload.each_row_once = true;
  bench.workload.apart = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const LimitedRunPlan plan{{Cores(1.0), MiB(300)},
                            TrialPurpose::kVerification,
                            {std::chrono::seconds(1), 59, std::chrono::seconds(20)}};
  const auto run = RunAtLimits(bench.lab, bench.MeasuredAt(kFullSpeedMs), plan);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->trial.measurements.total_queries, 60);
}

TEST(LimitedRunTest, CountsTheWindowsOfAModelThatWasSteadyAtOnceAsTheBeginningOfItsLoad) {
  LabBench bench;
  const LimitedRunPlan plan{{Cores(1.0), MiB(300)},
                            TrialPurpose::kVerification,
                            {std::chrono::milliseconds(3100), 59, std::chrono::seconds(20)}};
  const auto served = [&](const Yardstick& yardstick) {
    const auto began = bench.runtime.clock().Now();
    const auto run = RunAtLimits(bench.lab, yardstick, plan);
    EXPECT_TRUE(run && run->verdict.passed && !run->lacks);
    EXPECT_GE(run ? run->trial.seconds : 0, 3.0);
    return std::chrono::duration<double>(bench.runtime.clock().Now() - began).count();
  };
  const double counted = served(bench.MeasuredAt(kFullSpeedMs));
  Yardstick yardstick = bench.MeasuredAt(kFullSpeedMs);
  yardstick.pace.first_pass.matters = true;  // heavy rows come between the windows and the load
  EXPECT_GT(served(yardstick), counted + 1.5);
}

TEST(LimitedRunTest, ProvesNothingWhereItWasTooShort) {
  LabBench bench;
  bench.workload.objective.concurrency = 2;  // the warm-up counts for rows one at a time alone
  const LimitedRunPlan plan{{Cores(1.0), MiB(300)},
                            TrialPurpose::kVerification,
                            {std::chrono::seconds(2), 59, std::chrono::seconds(2)}};
  const auto brief = RunAtLimits(bench.lab, bench.MeasuredAt(kFullSpeedMs), plan);
  ASSERT_TRUE(brief);
  EXPECT_TRUE(brief->verdict.passed);
  EXPECT_TRUE(brief->lacks);
  EXPECT_FALSE(RunAt(bench, bench.MeasuredAt(kFullSpeedMs), Cores(1.0)).lacks);
}

TEST(LimitedRunTest, SendsEveryContainerTheRowsInAnotherOrder) {
  LabBench bench;
  const auto first = SeededOrder(bench.workload, Seed(1));
  EXPECT_EQ(first, SeededOrder(bench.workload, Seed(1)));
  EXPECT_NE(first, SeededOrder(bench.workload, Seed(2)));
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

}  // namespace
}  // namespace mlprof::server::phases
