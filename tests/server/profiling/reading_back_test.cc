// Runs at limits that do not hold all files which the model maps.
#include <gtest/gtest.h>

#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/proof_attempt.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A row of the imitated model takes 2 ms at full speed. It uses 200 MiB beside its files.
constexpr double kFullSpeedMs = 2;
constexpr Limits kLimits{Cores(1.0), MiB(300)};

LimitedRun RunBeside(LabBench& bench, const Yardstick& yardstick, const LoadTime& load,
                     KeptContainer* kept = nullptr) {
  auto run = RunAtLimits(bench.lab, yardstick, {kLimits, TrialPurpose::kVerification, load}, kept);
  EXPECT_TRUE(run) << "the run ended";
  return run ? *std::move(run) : LimitedRun();
}

// Beside the model at full speed.
LimitedRun RunOfTenSeconds(LabBench& bench) {
  return RunBeside(bench, bench.MeasuredAt(kFullSpeedMs), {seconds(10), 299, seconds(10)});
}

// Beside a host that was twice as fast.
LimitedRun RunOnSlowerHost(LabBench& bench, KeptContainer* kept = nullptr) {
  return RunBeside(bench, bench.MeasuredAt(kFullSpeedMs / 2), {seconds(3), 59, seconds(5)}, kept);
}

FakeModel WithHotFiles() {
  FakeModel model;
  model.hot_file = MiB(300);
  return model;
}

FakeModel WithRareFiles() {
  FakeModel model;
  model.rare_file = MiB(300);
  return model;
}

TEST(HopelessRunTest, EndsWhereTheModelReadsItsFilesBackAllTheTime) {
  LabBench bench(WithHotFiles());
  const LimitedRun run = RunOfTenSeconds(bench);
  EXPECT_FALSE(run.verdict.passed);
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory);
  EXPECT_LT(run.trial.seconds, 3);
  EXPECT_GE(run.trial.measurements.total_queries, 10);
}

TEST(HopelessRunTest, FailsWithFewerRequestsThanThePercentileTakesThatIsAskedFor) {
  FakeModel model = WithHotFiles();
  model.cpu_per_row = milliseconds(4);
  LabBench bench(model);
  bench.workload.objective.latency_ms = {{"p99", 4}};
  const LimitedRun run = RunOfTenSeconds(bench);
  EXPECT_FALSE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory);
  EXPECT_LT(run.trial.measurements.total_queries, 100);
}

TEST(HopelessRunTest, SendsAllHeavyRowsToAModelThatGotSomewhereAfterAll) {
  FakeModel model;
  model.pages_read_back = 100;
  int rows = 0;
  int heavy_in_a_row = 0;
  model.sleeps_more = [&] { return milliseconds(++rows < 120 ? 20 : 0); };
  model.status = [&](const std::string& row) {
    heavy_in_a_row = row == "row 3" ? heavy_in_a_row + 1 : 0;
    return 200;
  };
  LabBench bench(model);
  bench.workload.heavy.assign(150, 3);
  const LimitedRun run = RunOfTenSeconds(bench);
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_GE(heavy_in_a_row, 150);
}

TEST(HopelessRunTest, GoesOnWhereTheModelBecameQuickBehindItsWarmUp) {
  FakeModel model;
  model.pages_read_back = 100;
  int rows = 0;
  model.sleeps_more = [&] { return milliseconds(++rows < 150 ? 20 : 0); };
  LabBench bench(model);
  const LimitedRun run = RunOfTenSeconds(bench);
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_GE(run.trial.seconds, 9.9);
  EXPECT_GT(run.read_back.pages, 0);
}

TEST(FutileRunTest, EndsWithTheTimeOfARowWhereNoneIsAnswered) {
  FakeModel model;
  model.stuck_below = kLimits.memory() + MiB(1);
  LabBench bench(model);
  bench.runtime.host_load = [&] {
    HostLoad load;  // busy with other work
    load.at = bench.runtime.clock().Now();
    load.busy_seconds = 2 * std::chrono::duration<double>(load.at).count();
    return load;
  };
  const auto began = std::chrono::steady_clock::now();
  const LimitedRun run = RunOfTenSeconds(bench);
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(5)) << "its deadline is later";
  EXPECT_TRUE(run.futile);
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory);
  EXPECT_FALSE(IsDisturbed(run)) << "no other work does that";
}

TEST(LookWithAllMemoryTest, ExcusesARunThatIsAsSlowWithIt) {
  LabBench bench(WithRareFiles());
  bench.runtime.host_load = [&] {
    HostLoad load;  // a core is busy all the time: the model's
    load.at = bench.runtime.clock().Now();
    load.busy_seconds = std::chrono::duration<double>(load.at).count();
    return Result<HostLoad>(load);
  };
  const LimitedRun run = RunOnSlowerHost(bench);
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_TRUE(run.read_back.often());
  EXPECT_TRUE(bench.runtime.raised_at());
  EXPECT_EQ(run.reference.looks.size(), 1U);
  EXPECT_LT(run.noise.foreign_cores, 0.1) << "what the look took is the container's own";
}

TEST(LookWithAllMemoryTest, ExcusesNothingThatIsQuickWithIt) {
  FakeModel model = WithRareFiles();
  const FakeRuntime* runtime = nullptr;
  model.sleeps_more = [&] { return milliseconds(runtime->raised_at() ? 0 : 1); };
  LabBench bench(model);
  runtime = &bench.runtime;
  const LimitedRun run =
      RunBeside(bench, bench.MeasuredAt(kFullSpeedMs), {seconds(3), 59, seconds(5)});
  EXPECT_TRUE(runtime->raised_at());
  EXPECT_FALSE(run.verdict.passed);
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory);
}

TEST(LookWithAllMemoryTest, ExcusesNothingWherePagesAreReadBackWithItToo) {
  FakeModel model;
  model.pages_read_back = 5;
  LabBench bench(model);
  const LimitedRun run = RunOnSlowerHost(bench);
  EXPECT_TRUE(bench.runtime.raised_at());
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory);
}

TEST(LookWithAllMemoryTest, ExcusesNothingWhereMemoryCannotBeRaised) {
  LabBench bench(WithRareFiles());
  bench.runtime.raises_memory = false;
  EXPECT_EQ(RunOnSlowerHost(bench).verdict.shortage, ResourceKind::kMemory);
}

// It lasts fifteen seconds at most: 250 rows of 60 ms.
TEST(LookWithAllMemoryTest, ExcusesNothingWhereItHasFewerRequestsThanTheRunsTail) {
  FakeModel model = WithRareFiles();
  model.cpu_per_row = milliseconds(60);
  LabBench bench(model);
  const LimitedRun run = RunBeside(bench, bench.MeasuredAt(30), {seconds(10), 299, seconds(30)});
  EXPECT_TRUE(bench.runtime.raised_at());
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory);
}

// Its limit sized it, and with all memory it collects as before.
TEST(LookWithAllMemoryTest, IsNotTakenOfAHeapThatCollects) {
  FakeModel model = WithRareFiles();
  model.heap_share = 0.25;
  model.heap_live = MiB(60);
  model.collection = milliseconds(3);
  LabBench bench(model);
  Yardstick yardstick = bench.MeasuredAt(kFullSpeedMs);
  yardstick.at_ceiling = {GiB(1), kFullSpeedMs / 1000, {}};
  const LimitedRun run = RunBeside(bench, yardstick, {seconds(3), 59, seconds(5)});
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory) << run.verdict.sentence;
  EXPECT_FALSE(bench.runtime.raised_at());
}

TEST(LookWithAllMemoryTest, IsNotTakenWhereTheObjectiveIsMissed) {
  FakeModel model = WithRareFiles();
  model.cpu_per_row = milliseconds(20);
  LabBench bench(model);
  bench.workload.objective.requests_per_second = 100;
  const LimitedRun run = RunBeside(bench, bench.MeasuredAt(20), {seconds(3), 59, seconds(5)});
  EXPECT_EQ(run.verdict.shortage, ResourceKind::kMemory) << run.verdict.sentence;
  EXPECT_FALSE(bench.runtime.raised_at());
}

TEST(LookWithAllMemoryTest, LeavesNoContainerThatPassesForOneAtItsLimits) {
  LabBench bench(WithRareFiles());
  KeptContainer kept;
  EXPECT_TRUE(RunOnSlowerHost(bench, &kept).verdict.passed);
  EXPECT_EQ(kept.get(), nullptr);
}

}  // namespace
}  // namespace mlprof::server::phases
