// How long the objective's load at the ceiling goes on.
#include <gtest/gtest.h>

#include "server/profiling/phases/load.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::milliseconds;

// Of rows that compute for `row`, and took `before` when they came one at a time.
Trial LoadOf(milliseconds row, const Objective& objective = {},
             std::optional<milliseconds> before = {},
             std::chrono::seconds budget = std::chrono::seconds(300)) {
  FakeModel model;
  model.cpu_per_row = row;
  LabBench bench(model, 20, LabBench::kCeiling, budget);
  bench.workload.objective = objective;
  const double each = std::chrono::duration<double>(row).count();
  bench.workload.row_times = {each, each * each, each};
  auto container = bench.lab.Launch(
      {bench.kCeiling, bench.setup, bench.lab.NextSeed(), PageCache::kCold, Use::kObjective});
  EXPECT_TRUE((*container)->Start());
  std::vector<RequestRecord> serial(20);
  for (RequestRecord& request : serial) {
    request.latency_us = static_cast<std::uint32_t>(1000 * before.value_or(row).count());
  }
  const auto load = MeasureLoad(bench.lab, **container, bench.workload, serial);
  EXPECT_TRUE(load);
  (*container)->Close();
  return load ? load->trial : Trial();
}

Objective WithP95(double ms) {
  Objective objective;
  objective.latency_ms = {{"p95", ms}};
  return objective;
}

Objective Rate(double requests_per_second) {
  Objective objective;
  objective.requests_per_second = requests_per_second;
  return objective;
}

TEST(CeilingLoadTest, HasTheRequestsOfP99WhereTheyComeInTime) {
  EXPECT_GE(LoadOf(milliseconds(20)).measurements.total_queries, 299);
}

TEST(CeilingLoadTest, OfSlowRowsHasMoreThanWhatIsJudgedBesideIt) {
  const Trial load = LoadOf(milliseconds(50));
  EXPECT_GE(load.measurements.total_queries, 2 * 59);
  EXPECT_LT(load.seconds, 7);
  EXPECT_NEAR(LoadOf(milliseconds(200)).seconds, 12, 1) << "p95 takes 59 of them";
}

TEST(CeilingLoadTest, GoesOnWhereAModelBecameSoMuchFasterThatP99IsJudged) {
  const Trial load = LoadOf(milliseconds(25), {}, milliseconds(50));
  EXPECT_GE(load.measurements.total_queries, 299);
  EXPECT_NEAR(load.seconds, 10, 1);
}

TEST(CeilingLoadTest, LeavesTheRestOfAShortBudgetToOthersWhereAModelBecameFaster) {
  EXPECT_LT(LoadOf(milliseconds(25), {}, milliseconds(50), std::chrono::seconds(12)).seconds, 3);
}

TEST(CeilingLoadTest, OfSlowRowsThatAreToHoldALatencyHasTheRequestsOfThat) {
  const Trial load = LoadOf(milliseconds(50), WithP95(100));
  EXPECT_GE(load.measurements.total_queries, 59);
  EXPECT_LT(load.seconds, 4);
}

TEST(CeilingLoadTest, OfSlowRowsIsNotCutWhereP99MayBeJudgedBesideIt) {
  EXPECT_NEAR(LoadOf(milliseconds(36)).seconds, 10, 1)
      << "278 in ten seconds, or 299 on a good day";
  Objective two_at_once;
  two_at_once.concurrency = 2;
  EXPECT_NEAR(LoadOf(milliseconds(60), two_at_once).seconds, 10, 1) << "twice as many a second";
}

TEST(CeilingLoadTest, OfARateGoesOnUntilItsQueueHasForgotten) {
  Objective quick = Rate(100);
  quick.latency_ms = {{"p95", 100}};
  EXPECT_LT(LoadOf(milliseconds(2), quick).seconds, 4);
  EXPECT_NEAR(LoadOf(milliseconds(9), quick).seconds, 10, 1);
  EXPECT_NEAR(LoadOf(milliseconds(2), Rate(100)).seconds, 10, 1) << "p99 is judged";
}

}  // namespace
}  // namespace mlprof::server::phases
