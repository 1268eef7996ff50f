// One of several runs that decide together: it ends as soon as it is clear.
#include <gtest/gtest.h>

#include "server/profiling/phases/limited_run.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

// A row of the imitated model takes 2 ms at full speed.
constexpr double kMsAtFullSpeed = 2;

TEST(OneOfSeveralRunsTest, TakesNoTurnWithTheReferenceWhereOneOfSeveralRunsIsClearlyTooSlow) {
  const auto looks_after = [](bool once, double ms_before = kMsAtFullSpeed,
                              Cores cpu = Cores(0.5)) {
    LabBench bench;
    const Yardstick yardstick = bench.MeasuredAt(ms_before, ms_before);
    LimitedRunPlan plan{{cpu, MiB(300)},
                        TrialPurpose::kTightness,
                        {std::chrono::seconds(3), 59, std::chrono::seconds(20)}};
    plan.once = once;
    const auto run = RunAtLimits(bench.lab, yardstick, plan);
    EXPECT_EQ(run && run->verdict.passed, cpu > Cores(0.5));
    return run ? run->reference.looks.size() : 0;
  };
  EXPECT_EQ(looks_after(true), 1U);
  EXPECT_EQ(looks_after(false), 1U) << "the quota's own stops tell";
  EXPECT_EQ(looks_after(true, 1.5), 1U) << "likewise, on whatever host";
  EXPECT_EQ(looks_after(true, 1.5, Cores(0.97)), 2U) << "the host became slower";
}

TEST(OneOfSeveralRunsTest, SendsNoMoreRequestsWhereOneOfSeveralRunsIsClearlyTooSlow) {
  const auto requests = [](bool once, Cores cpu) {
    LabBench bench;
    LimitedRunPlan plan{{cpu, MiB(300)},
                        TrialPurpose::kTightness,
                        {std::chrono::seconds(1), 4000, std::chrono::seconds(60)}};
    plan.once = once;
    const auto run = RunAtLimits(bench.lab, bench.MeasuredAt(kMsAtFullSpeed, 2), plan);
    return run ? run->trial.measurements.total_queries : 0;
  };
  EXPECT_LT(requests(true, Cores(0.5)), 2000) << "the windows and a second";
  EXPECT_GE(requests(false, Cores(0.5)), 4000);
  EXPECT_GE(requests(true, Cores(1.0)), 4000) << "one that holds may become the answer";
}

TEST(OneOfSeveralRunsTest, LeavesALatencyThatIsMissedAfterABlockOfRowsWhereItIsOneOfSeveral) {
  const auto run_at = [](bool once, Cores cpu) {
    FakeModel model;
    model.cpu_per_row = std::chrono::milliseconds(100);
    LabBench bench(model);
    bench.workload.objective.latency_ms = {{"p95", 150}};
    LimitedRunPlan plan{{cpu, MiB(300)},
                        TrialPurpose::kTightness,
                        {std::chrono::seconds(5), 59, std::chrono::seconds(60)}};
    plan.once = once;
    const auto run = RunAtLimits(bench.lab, bench.MeasuredAt(100), plan);
    EXPECT_TRUE(run);
    EXPECT_EQ(run->verdict.passed, cpu == Cores(1.0)) << run->verdict.sentence;
    return run->trial.measurements.total_queries;
  };
  EXPECT_LE(run_at(true, Cores(0.5)), 40) << "the windows of the warm-up, and a block";
  EXPECT_GE(run_at(false, Cores(0.5)), 59);
  EXPECT_GE(run_at(true, Cores(1.0)), 59) << "one that holds may become the answer";
}

struct FirstRows {
  bool cost_the_same = true;
  bool cpu_alone = true;
  double reference_cpu_ms = 100;
};

// One step of CPU lower, of rows of 100 ms of CPU that are to be answered within 150 ms.
LimitedRun MissedAtHalfACore(const FirstRows& first, FakeModel model = {}) {
  model.cpu_per_row = std::chrono::milliseconds(100);
  LabBench bench(model);
  bench.workload.objective.latency_ms = {{"p95", 150}};
  LimitedRunPlan plan{{Cores(0.5), MiB(300)},
                      TrialPurpose::kTightness,
                      {std::chrono::seconds(3), 59, std::chrono::seconds(60)}};
  plan.once = true;
  plan.lowers_cpu_alone = first.cpu_alone;
  Yardstick yardstick = bench.MeasuredAt(100, first.reference_cpu_ms);
  yardstick.pace.first_pass.costs_the_same = first.cost_the_same;
  auto run = RunAtLimits(bench.lab, yardstick, plan);
  EXPECT_TRUE(run && !run->verdict.passed);
  return run ? *std::move(run) : LimitedRun();
}

std::int64_t RequestsOf(const LimitedRun& run) { return run.trial.measurements.total_queries; }

TEST(OneOfSeveralRunsTest, LeavesALatencyThatIsMissedFromTheFirstRowOnWhereThatCostsNoMore) {
  EXPECT_LE(RequestsOf(MissedAtHalfACore({})), 22) << "two windows hold a block of rows";
  EXPECT_GE(RequestsOf(MissedAtHalfACore({false})), 25) << "three that agree, and a second";
  EXPECT_GE(RequestsOf(MissedAtHalfACore({true, false})), 25) << "memory may be why";
  EXPECT_GE(RequestsOf(MissedAtHalfACore({true, true, 80})), 25) << "something works beside them";
}

TEST(OneOfSeveralRunsTest, GoesOnWhereTheFirstRowsWaitForPages) {
  FakeModel model;
  model.pages_read_back = 5;
  EXPECT_GE(RequestsOf(MissedAtHalfACore({}, model)), 25);
}

}  // namespace
}  // namespace mlprof::server::phases
