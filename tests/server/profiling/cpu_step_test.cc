#include "server/profiling/phases/cpu_step.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kRowMs = 2;  // of the imitated model, at full speed, all of it work

struct Tried {
  std::optional<CpuStep> step;
  std::vector<Trial> trials;
};

// `cost_ms`: of a request before.
Tried TryIn(LabBench& bench, Cores cpu, const Yardstick& measured, double cost_ms) {
  auto container = bench.lab.Launch(
      {{cpu, MiB(300)}, measured.setup, bench.lab.NextSeed(), PageCache::kCold, Use::kObjective});
  EXPECT_TRUE((*container)->Start());
  Tried tried{TryCpuStep(bench.lab, measured, **container, cost_ms / 1000), {}};
  (*container)->Close();
  EXPECT_EQ(bench.runtime.launches().size(), 1U);
  tried.trials = bench.journal.trials;
  return tried;
}

// `busy_cores`: of the host, whoever uses them.
Tried TryBelow(Cores cpu, FakeModel model = {}, const Yardstick* yardstick = nullptr,
               double cost_ms = kRowMs, double busy_cores = 0) {
  LabBench bench(std::move(model));
  bench.runtime.host_load = [&] {
    HostLoad load;
    load.at = bench.runtime.clock().Now();
    load.busy_seconds = busy_cores * std::chrono::duration<double>(load.at).count();
    return load;
  };
  return TryIn(bench, cpu, yardstick ? *yardstick : bench.MeasuredAt(kRowMs, kRowMs), cost_ms);
}

TEST(CpuStepTest, FailsTwiceWhereAStepLessIsTooSlow) {
  const Tried tried = TryBelow(Cores(1.0));
  ASSERT_TRUE(tried.step);
  EXPECT_EQ(tried.step->failures, 2);
  EXPECT_EQ(tried.step->limits, (Limits{Cores(0.9), MiB(300)}));
  ASSERT_GE(tried.trials.size(), 2U);
  std::int64_t requests = 0;
  for (const Trial& trial : tried.trials) {
    EXPECT_EQ(trial.purpose, TrialPurpose::kTightness);
    EXPECT_EQ(trial.limits, tried.step->limits);
    EXPECT_FALSE(trial.passed);
    requests += trial.measurements.success_queries;
  }
  EXPECT_EQ(tried.step->requests, requests);
}

// Of a model whose rows mostly wait, beside a reference of 2 ms with 0.2 of them work.
int FailuresOf(std::chrono::microseconds work, std::chrono::microseconds waiting) {
  FakeModel model;
  model.cpu_per_row = work;
  model.sleep_per_row = waiting;
  const Yardstick before = LabBench().MeasuredAt(2.0, 0.2);
  const Tried tried = TryBelow(Cores(0.9), model, &before, 0.2);
  EXPECT_TRUE(tried.step);
  return tried.step ? tried.step->failures : -1;
}

TEST(CpuStepTest, TellsNothingWhereAStepLessHolds) {
  using std::chrono::microseconds;
  EXPECT_EQ(FailuresOf(microseconds(200), microseconds(1800)), 0);
  EXPECT_EQ(FailuresOf(microseconds(240), microseconds(1960)), 0)
      << "on a slower host, by its cost";
  EXPECT_EQ(FailuresOf(microseconds(160), microseconds(1800)), 0)
      << "on a faster host, where waiting does not shrink with the work";
  EXPECT_EQ(FailuresOf(microseconds(200), microseconds(2200)), 2) << "too slow, at the same cost";
}

// Load by load, of a model whose rows mostly wait: slow in those that `slow` names.
Tried TryBeside(const std::vector<bool>& slow) {
  const LabBench* host = nullptr;
  FakeModel model;
  model.cpu_per_row = std::chrono::microseconds(200);
  model.sleep_per_row = std::chrono::microseconds(1800);
  model.sleeps_more = [&] {
    const std::size_t load = host == nullptr ? slow.size() : host->journal.trials.size();
    return std::chrono::microseconds(load < slow.size() && slow[load] ? 400 : 0);
  };
  LabBench bench(model);
  host = &bench;
  return TryIn(bench, Cores(0.9), bench.MeasuredAt(2.0, 0.2), 0.2);
}

TEST(CpuStepTest, IsDecidedByTwoLoadsOfThree) {
  const Tried fails = TryBeside({false, true, true});
  EXPECT_EQ(fails.step.value().failures, 2);
  EXPECT_EQ(fails.trials.size(), 3U);
  const Tried holds = TryBeside({true, false, false, true});
  EXPECT_EQ(holds.step.value().failures, 0);
  EXPECT_EQ(holds.trials.size(), 3U);
  EXPECT_EQ(TryBeside({false, false, true, true}).trials.size(), 2U);
}

TEST(CpuStepTest, TellsNothingWhereSomethingElseUsesTheHost) {
  const auto failures_on_host_that_uses = [](double cores) {
    return TryBelow(Cores(1.0), {}, nullptr, kRowMs, cores).step.value().failures;
  };
  EXPECT_EQ(failures_on_host_that_uses(1), 2) << "its own load is no other's";
  EXPECT_EQ(failures_on_host_that_uses(2), 0);
}

// Six loads at most.
TEST(CpuStepTest, GoesOnBehindLoadsThatWereDisturbed) {
  for (const auto& [disturbed, failures] : {std::pair(4U, 2), std::pair(5U, 0)}) {
    LabBench bench;
    HostLoad load;
    bench.runtime.host_load = [&, most = disturbed] {
      const auto now = bench.runtime.clock().Now();
      const double busy_cores = bench.journal.trials.size() < most ? 2 : 0;
      load.busy_seconds += busy_cores * std::chrono::duration<double>(now - load.at).count();
      load.at = now;
      return load;
    };
    const Tried tried = TryIn(bench, Cores(1.0), bench.MeasuredAt(kRowMs, kRowMs), kRowMs);
    EXPECT_EQ(tried.step.value().failures, failures) << disturbed;
    EXPECT_EQ(tried.trials.size(), 6U);
  }
}

TEST(CpuStepTest, TellsNothingOfCpuWhereMemoryIsShort) {
  FakeModel model;
  model.hot_file = GiB(1);
  const Tried tried = TryBelow(Cores(1.0), model);
  EXPECT_EQ(tried.step.value().failures, 0);
  EXPECT_EQ(tried.trials.size(), 2U);
}

TEST(CpuStepTest, GoesOnBehindOneLoadThatReadFilesBack) {
  const LabBench* host = nullptr;
  FakeModel model;
  model.rare_file = MiB(300) - model.serving_peak - MiB(20);
  model.rise = [&](const std::string&) {
    return MiB(host != nullptr && host->journal.trials.empty() ? 50 : 0);
  };
  LabBench bench(model);
  host = &bench;
  const Tried tried = TryIn(bench, Cores(1.0), bench.MeasuredAt(kRowMs, kRowMs), kRowMs);
  ASSERT_EQ(tried.trials.size(), 3U);
  EXPECT_NE(tried.trials.front().verdict.find("pages had to be read again"), std::string::npos)
      << tried.trials.front().verdict;
  EXPECT_EQ(tried.step.value().failures, 2);
}

TEST(CpuStepTest, LeavesOneOfTwoFailuresToAFreshContainerWherePoolsMayBeSmallerThere) {
  FakeModel model;
  model.threads = 2;
  model.parallel_share = 0.9;
  LabBench bench;
  const Yardstick yardstick = bench.MeasuredAt(1.1, kRowMs);
  const Tried tried = TryBelow(Cores(1.1), model, &yardstick);
  ASSERT_TRUE(tried.step);
  EXPECT_EQ(tried.step->limits.cpu(), Cores(1.0));
  EXPECT_EQ(tried.step->failures, 1);
}

TEST(CpuStepTest, IsLeftToFreshContainersWhereThatMayMakeAnotherModel) {
  EXPECT_FALSE(TryBelow(kSmallestLimits.cpu()).step);
  LabBench bench;
  Yardstick with_settings = bench.MeasuredAt(kRowMs, kRowMs);
  with_settings.setup.environment["OMP_NUM_THREADS"] = "1";
  EXPECT_FALSE(TryBelow(Cores(1.0), {}, &with_settings).step);
  Yardstick once = bench.MeasuredAt(kRowMs, kRowMs);
  once.workload.each_row_once = true;
  EXPECT_FALSE(TryBelow(Cores(1.0), {}, &once).step);
}

TEST(CpuStepTest, TellsNothingOnAnotherHostAltogether) {
  LabBench bench;
  const Yardstick before = bench.MeasuredAt(kRowMs / 2, kRowMs / 2);
  const Tried tried = TryBelow(Cores(1.0), {}, &before, kRowMs / 2);
  ASSERT_TRUE(tried.step);
  EXPECT_EQ(tried.step->failures, 0);
  EXPECT_GT(tried.step->requests, 0);
}

TEST(CpuStepTest, TellsNothingByFewerRequestsThanP95Takes) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(200);
  const Yardstick before = LabBench().MeasuredAt(150, 150);
  const Tried tried = TryBelow(Cores(0.9), model, &before, 150);
  ASSERT_TRUE(tried.step);
  EXPECT_EQ(tried.step->failures, 0);
}

TEST(CpuStepTest, IsForClosedLoopsThatAreJudgedBesideTheReference) {
  LabBench bench;
  Yardstick rate = bench.MeasuredAt(kRowMs, kRowMs);
  rate.workload.objective.requests_per_second = 100;
  EXPECT_FALSE(TryBelow(Cores(1.0), {}, &rate).step);
  Yardstick latency = bench.MeasuredAt(kRowMs, kRowMs);
  latency.workload.objective.latency_ms = {{"p99", 5}};
  EXPECT_FALSE(TryBelow(Cores(1.0), {}, &latency).step);
}

TEST(CpuStepTest, TellsOfAKill) {
  FakeModel model;
  model.rise = [served = 0](const std::string&) mutable {
    return ++served > 100 ? MiB(200) : Bytes();
  };
  const Tried tried = TryBelow(Cores(1.0), model);
  ASSERT_TRUE(tried.step);
  EXPECT_TRUE(tried.step->killed);
  EXPECT_EQ(tried.step->failures, 0);
}

}  // namespace
}  // namespace mlprof::server::phases
