#include <gtest/gtest.h>

#include "server/profiling/phases/sustained_load.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kSustainedRowMs = 2;  // of the imitated model, at full speed

TEST(SustainedLoadTest, TellsOfAContainerThatDoesNotBearTheObjectivesLoad) {
  LabBench bench;
  ReplayCapacity capacity;
  capacity.requests_per_second = 10'000;
  const ProvenLoad proven{500};
  const Yardstick yardstick = bench.MeasuredAt(kSustainedRowMs);
  ASSERT_TRUE(CanMeasureSustainedLoad(bench.lab, yardstick, capacity, proven));
  const SustainedFacts facts = MeasureSustainedLoad(bench.lab, yardstick, {Cores(1.0), MiB(150)},
                                                    capacity, proven);  // serving takes 200
  EXPECT_TRUE(facts.unsteady);
  EXPECT_EQ(facts.requests_per_second, std::nullopt);
  EXPECT_EQ(facts.requests, 0);
  EXPECT_EQ(bench.lab.closed().at(0).use, Use::kBeyond);
}

SustainedFacts Sustained(LabBench& bench, const ProvenLoad& proven) {
  ReplayCapacity capacity;
  capacity.requests_per_second = 10'000;
  return MeasureSustainedLoad(bench.lab, bench.MeasuredAt(kSustainedRowMs), {Cores(1.0), MiB(300)},
                              capacity, proven);
}

std::int64_t ToppedUp(const LabBench& bench) {
  std::int64_t requests = 0;
  for (const Trial& trial : bench.journal.trials) {
    if (trial.purpose == TrialPurpose::kSoak) requests += trial.measurements.total_queries;
  }
  return requests;
}

TEST(SustainedLoadTest, SendsWhatABoundOnRareKillsLacksWhereItComesInTime) {
  LabBench lacking;
  const SustainedFacts facts = Sustained(lacking, {500, 1200});
  EXPECT_GE(ToppedUp(lacking), 1800);
  EXPECT_LT(ToppedUp(lacking), 1900);
  EXPECT_GE(facts.requests, 1800);
  LabBench enough;
  Sustained(enough, {500, 3000});
  EXPECT_EQ(ToppedUp(enough), 0);
  LabBench slow;
  Sustained(slow, {50, 1200});
  EXPECT_EQ(ToppedUp(slow), 0) << "36 seconds";
}

TEST(SustainedLoadTest, LeavesALoadThatMissesALatencyAfterABlockOfRows) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(50);
  LabBench bench(model);
  bench.workload.objective.latency_ms = {{"p95", 80}};
  Sustained(bench, {18, 3000});
  ASSERT_FALSE(bench.journal.trials.empty());
  const Trial& two_in_flight = bench.journal.trials.back();
  EXPECT_FALSE(two_in_flight.passed) << "100 ms each, on one core";
  EXPECT_LT(two_in_flight.measurements.total_queries, 30);
}

TEST(SustainedLoadTest, WaitsLongerForWhatQuickLoadsOfARateLack) {
  const auto topped_up = [](bool latency) {
    LabBench bench;
    bench.workload.objective.requests_per_second = 100;
    if (latency) bench.workload.objective.latency_ms = {{"p95", 50}};
    Sustained(bench, {100, 1000});
    return ToppedUp(bench);
  };
  EXPECT_GE(topped_up(true), 1950) << "20 seconds";
  EXPECT_EQ(topped_up(false), 0) << "its loads are not shorter";
}

TEST(SustainedLoadTest, CountsNoRequestThatFailed) {
  FakeModel model;
  model.status = [](const std::string&) { return 503; };
  LabBench bench(model);
  EXPECT_EQ(Sustained(bench, {500, 1200}).requests, 0);
}

TEST(SustainedLoadTest, TellsOfAKillUnderMoreOfTheObjectivesLoad) {
  FakeModel model;
  model.leak_per_row = KiB(100);  // 100 MiB more than it serves with after 1,000 rows
  LabBench bench(model);
  const SustainedFacts facts = Sustained(bench, {500, 1200});
  EXPECT_TRUE(facts.unsteady);
}

}  // namespace
}  // namespace mlprof::server::phases
