#include "server/profiling/phases/limited_warm_up.h"

#include <gtest/gtest.h>

#include <map>

#include "server/profiling/phases/limited_run.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kShapes = 40;
// 300 ms of CPU on a row's first visit, then 0.4 ms and 50 ms of sleep.
constexpr FirstPass kCompiles{kShapes * 0.3504, kShapes * 0.3004, true};
constexpr double kWarmMs = 50.4;

FakeModel CompilingModel() {
  FakeModel model;
  model.cpu_per_row = std::chrono::microseconds(400);
  model.sleep_per_row = milliseconds(50);
  model.first_visit_cpu = milliseconds(300);
  return model;
}

Yardstick Beside(LabBench& bench, double p95_ms, const FirstPass& first_pass) {
  Yardstick yardstick = bench.MeasuredAt(p95_ms);
  yardstick.pace.first_pass = first_pass;
  return yardstick;
}

LimitedRun RunWarmed(LabBench& bench, const Yardstick& yardstick, Cores cpu) {
  auto done =
      RunAtLimits(bench.lab, yardstick,
                  {{cpu, MiB(300)}, TrialPurpose::kVerification, {seconds(3), 59, seconds(5)}});
  EXPECT_TRUE(done) << "the run ended";
  return done ? *std::move(done) : LimitedRun();
}

struct Warmed {
  LimitedWarmUp facts;
  std::size_t requests = 0;
  Cores limit;  // of the container afterwards
  std::chrono::nanoseconds took{0};
};

Warmed WarmUpOf(LabBench& bench, const Yardstick& yardstick, Cores cpu) {
  auto container = bench.lab.Launch(
      {{cpu, MiB(300)}, yardstick.setup, bench.lab.NextSeed(), PageCache::kCold, Use::kObjective});
  EXPECT_TRUE((*container)->Start());
  Warmed warmed;
  const auto began = bench.lab.clock().Now();
  const auto facts =
      WarmUpAtLimits(bench.lab, yardstick, **container,
                     [&](const ReplayPlan& plan, std::chrono::nanoseconds, ReplayResult& result) {
                       result = (*container)->Replay(plan, bench.lab.budget().end());
                       warmed.requests += result.requests.size();
                       return true;
                     });
  EXPECT_TRUE(facts);
  warmed.facts = facts.value_or(LimitedWarmUp());
  warmed.limit = (*container)->limits().cpu();
  warmed.took = bench.lab.clock().Now() - began;
  return warmed;
}

TEST(FirstPassTimeTest, StretchesTheWorkByTheLimitAndNotTheWaiting) {
  const FirstPass pass{10, 8, true};
  EXPECT_EQ(FirstPassTime(pass, 1, Cores(2.0)), seconds(10));
  EXPECT_EQ(FirstPassTime(pass, 1, Cores(0.5)), seconds(18));
  EXPECT_EQ(FirstPassTime(pass, 2, Cores(0.5)), seconds(17));
  EXPECT_EQ(FirstPassTime(pass, 2, Cores(2.0)), seconds(5));
}

TEST(LimitedWarmUpTest, LiftsTheLimitForFirstVisitsThatWouldTakeTooLongAtIt) {
  LabBench bench(CompilingModel(), kShapes);
  const Warmed warmed = WarmUpOf(bench, Beside(bench, kWarmMs, kCompiles), Cores(0.1));
  EXPECT_TRUE(warmed.facts.lifted);
  EXPECT_TRUE(warmed.facts.whole_pass);
  EXPECT_TRUE(warmed.facts.steady);
  EXPECT_EQ(warmed.limit, Cores(0.1));
  EXPECT_LT(warmed.took, seconds(25)) << "120 s of throttled work are not waited for";
}

TEST(LimitedWarmUpTest, VisitsRowsAtTheLimitWhereThatTakesNoTime) {
  LabBench bench(CompilingModel(), kShapes);
  const FirstPass short_pass{kShapes * 0.09, kShapes * 0.04, true};
  const Warmed warmed = WarmUpOf(bench, Beside(bench, kWarmMs, short_pass), Cores(1.0));
  EXPECT_FALSE(warmed.facts.lifted);
  EXPECT_EQ(warmed.limit, Cores(1.0));
}

TEST(LimitedWarmUpTest, EndsWithTwoWindowsInWhichFilesAreReadBackAllTheTime) {
  FakeModel model;
  model.hot_file = GiB(1);
  for (const bool of_rate : {false, true}) {
    LabBench bench(model);
    if (of_rate) bench.workload.objective.requests_per_second = 10;
    const Warmed warmed = WarmUpOf(bench, bench.MeasuredAt(2), Cores(1.0));
    EXPECT_EQ(warmed.facts.hopeless, !of_rate);
    EXPECT_EQ(warmed.took < milliseconds(2500), !of_rate) << "of a rate no load ends early";
  }
}

TEST(LimitedWarmUpTest, MakesNoPassOfItsOwnWhereFirstVisitsAreLikeOthers) {
  LabBench bench({}, 2000);
  const Warmed warmed = WarmUpOf(bench, bench.MeasuredAt(2), Cores(1.0));
  EXPECT_TRUE(warmed.facts.steady);
  EXPECT_TRUE(warmed.facts.whole_pass);
  EXPECT_LT(warmed.requests, 2000U);
  EXPECT_LE(warmed.took, seconds(4));
}

TEST(LimitedWarmUpTest, GoesThroughAllRowsEquallyOftenInEachWindow) {
  LabBench bench({}, 300);
  Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.reference.looks.push_back({{}, 500});
  const ReplayResult windows = WarmUpOf(bench, yardstick, Cores(1.0)).facts.beginning;
  ASSERT_EQ(windows.requests.size(), 3 * 600U);
  std::map<std::uint32_t, int> times;
  for (const RequestRecord& request : windows.requests) ++times[request.row];
  for (const auto& [row, count] : times) EXPECT_EQ(count, 6) << row;
}

TEST(LimitedWarmUpTest, EndsWithTheFirstWindowThatTakesNoMoreThanTheWarmModel) {
  LabBench bench({}, 300);
  const LimitedWarmUp as_warm = WarmUpOf(bench, bench.MeasuredAt(2, 2), Cores(1.0)).facts;
  EXPECT_TRUE(as_warm.steady);
  EXPECT_EQ(as_warm.beginning.requests.size(), 600U);
  for (const double cpu_ms : {1.5, 2.0}) {
    // Slower than the warm model in one figure, as a quota or another host makes it.
    const Yardstick yardstick = bench.MeasuredAt(cpu_ms < 2 ? 2 : 1.5, cpu_ms);
    EXPECT_GE(WarmUpOf(bench, yardstick, Cores(1.0)).facts.beginning.requests.size(), 1500U);
  }
}

TEST(LimitedWarmUpTest, TakesWindowsOfOtherRowsTogetherWhereAPassIsLongerThanThey) {
  // 40 rows of 80 ms and 260 of 2: no two windows are alike.
  FakeModel model;
  model.sleep_per_row = milliseconds(0);
  model.sleeps_more = [count = 0]() mutable { return milliseconds(++count % 300 < 40 ? 78 : 0); };
  LabBench bench(model, 300);
  Yardstick yardstick = bench.MeasuredAt(2, 2);
  const LimitedWarmUp as_warm = WarmUpOf(bench, yardstick, Cores(1.0)).facts;
  EXPECT_TRUE(as_warm.steady);
  EXPECT_GE(as_warm.beginning.requests.size(), 300U);
}

// Two rows in three are cheap, so that each window of a second has others.
constexpr std::uint32_t kUnlike = 150;

milliseconds Usual(std::uint32_t row) { return milliseconds(row % kUnlike < 100 ? 4 : 40); }

// All rows take a quarter more than when the reference was taken.
FakeModel SlowerModelOfUnlikeRows() {
  FakeModel model;
  model.cpu_per_row = milliseconds(0);
  model.cpu_of_row = [](const std::string& row) { return 5 * Usual(std::stoi(row.substr(4))) / 4; };
  return model;
}

Yardstick BesideUnlikeRows(LabBench& bench) {
  Look look{{}, 60, 0.016};
  for (std::uint32_t row = 0; row < bench.workload.rows; ++row) {
    look.visits.push_back({row, static_cast<std::uint32_t>(1000 * Usual(row).count())});
  }
  Yardstick yardstick = bench.MeasuredAt(40);
  yardstick.reference = WithLook(yardstick.reference, look);
  yardstick.pace.first_pass.costs_the_same = true;
  return yardstick;
}

TEST(LimitedWarmUpTest, TellsWindowsByWhatTheirRowsTookWhereTheHostBecameSlower) {
  LabBench bench(SlowerModelOfUnlikeRows(), kUnlike);
  const Warmed warmed = WarmUpOf(bench, BesideUnlikeRows(bench), Cores(1.0));
  EXPECT_TRUE(warmed.facts.steady);
  EXPECT_LT(warmed.took, milliseconds(3500)) << "three windows of a second";
  EXPECT_EQ(warmed.facts.beginning.requests.size(), warmed.requests) << "they count";
}

TEST(LimitedWarmUpTest, CountsNoWindowsOfFirstVisitsThatCostMoreThanLaterOnes) {
  LabBench bench(SlowerModelOfUnlikeRows(), kUnlike);
  Yardstick yardstick = BesideUnlikeRows(bench);
  yardstick.pace.first_pass.costs_the_same = false;
  const Warmed warmed = WarmUpOf(bench, yardstick, Cores(1.0));
  EXPECT_TRUE(warmed.facts.steady);
  EXPECT_TRUE(warmed.facts.beginning.requests.empty());
}

// Rows of 10 ms that take so many times as much, by turns of a window's hundred, as long as there
// are turns.
FakeModel OnAHostWhoseSpeedMoves(std::vector<double> turns) {
  FakeModel model;
  model.cpu_of_row = [turns = std::move(turns), count = 0](const std::string&) mutable {
    const auto turn = static_cast<std::size_t>(count++ / 100);
    const double times = turn < turns.size() ? turns[turn] : 1;
    return std::chrono::microseconds(static_cast<std::int64_t>(8000 * times));
  };
  return model;
}

Yardstick BesideSteadyHost(LabBench& bench) {
  Yardstick yardstick = bench.MeasuredAt(10, 10);
  yardstick.pace.first_pass.costs_the_same = true;
  return yardstick;
}

TEST(LimitedWarmUpTest, EndsWhereAHostWhoseSpeedMovesLetsNoThreeWindowsAgree) {
  LabBench bench(OnAHostWhoseSpeedMoves({1.5, 1.2, 1.6, 1.2}));
  const Warmed warmed = WarmUpOf(bench, BesideSteadyHost(bench), Cores(1.0));
  EXPECT_FALSE(warmed.facts.steady);
  EXPECT_TRUE(warmed.facts.as_fast_as_it_gets);
  EXPECT_LT(warmed.took, milliseconds(4500)) << "three windows";
  EXPECT_EQ(warmed.facts.beginning.requests.size(), warmed.requests) << "they count";
}

TEST(LimitedWarmUpTest, GoesOnWhileEachWindowIsFasterThanThoseBefore) {
  LabBench bench(OnAHostWhoseSpeedMoves({5, 4.2, 3.6, 3.1, 2.7, 2.3, 2.0, 1.7, 1.5, 1.3}));
  const Warmed warmed = WarmUpOf(bench, BesideSteadyHost(bench), Cores(1.0));
  EXPECT_FALSE(warmed.facts.as_fast_as_it_gets);
  EXPECT_GT(warmed.took, milliseconds(5500));
}

// Its beginning may have been cold after all.
TEST(LimitedWarmUpTest, SendsALoadAgainThatBeganWithAnUnsteadyWarmUpAndIsSlow) {
  LabBench bench(OnAHostWhoseSpeedMoves({1.5, 1.2, 1.6}));
  LimitedRunPlan plan{
      {Cores(0.95), MiB(300)}, TrialPurpose::kTightness, {seconds(3), 59, seconds(10)}};
  plan.once = true;
  const auto run = RunAtLimits(bench.lab, BesideSteadyHost(bench), plan);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->verdict.passed) << run->verdict.sentence;
}

TEST(LimitedWarmUpTest, IsNotSteadyByWhatRowsTookBeforeAllWereSeen) {
  LabBench bench(SlowerModelOfUnlikeRows(), 2 * kUnlike);
  EXPECT_GT(WarmUpOf(bench, BesideUnlikeRows(bench), Cores(1.0)).took, milliseconds(4500));
}

TEST(LimitedWarmUpTest, SendsOnlyTheRowsApartWhereEachRowIsToComeOnce) {
  LabBench bench({}, 80);
  Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.workload.each_row_once = true;
  yardstick.workload.apart = {3, 5, 8};
  EXPECT_EQ(WarmUpOf(bench, yardstick, Cores(1.0)).requests, 3U);
}

TEST(LimitedWarmUpTest, SaysThatTheBudgetDidNotHoldAllRows) {
  LabBench bench(CompilingModel(), 2000);
  const Yardstick yardstick = Beside(bench, kWarmMs, {2000 * 0.3504, 2000 * 0.3004, true});
  EXPECT_FALSE(WarmUpOf(bench, yardstick, Cores(1.0)).facts.whole_pass);
}

TEST(LimitedWarmUpTest, LeavesFirstVisitsOutOfTheVerdict) {
  LabBench bench(CompilingModel(), kShapes);
  const LimitedRun run = RunWarmed(bench, Beside(bench, kWarmMs, kCompiles), Cores(0.1));
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_EQ(run.trial.limits.cpu(), Cores(0.1));
  EXPECT_TRUE(run.saw_all_rows);
}

TEST(LimitedWarmUpTest, LeavesALoadOfRowsThatWereNeverSeen) {
  FakeModel model;
  model.cpu_per_row = milliseconds(20);
  model.caches_responses = true;
  LabBench bench(model, 80);
  bench.workload.each_row_once = true;
  bench.workload.apart = {1, 2, 3};
  bench.workload.heavy = {7};
  const LimitedRun run = RunWarmed(bench, bench.MeasuredAt(20), Cores(1.0));
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_EQ(run.latencies.size(), 77U);
  EXPECT_NEAR(run.trial.measurements.latency_p50_ms.value_or(0), 20, 0.5);
}

}  // namespace
}  // namespace mlprof::server::phases
