#include "server/profiling/phases/sustained_load.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

struct Outcome {
  Profile profile;
  std::vector<Trial> trials;
};

Outcome Profiled(const FakeModel& model, const Objective& objective,
                 std::chrono::seconds budget = std::chrono::seconds(300)) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = bench.Request("p", budget);
  request.objective = objective;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  Outcome outcome{bench.AwaitEnd("p"), {}};
  outcome.trials = bench.service().Trials("default", "p").value_or(std::vector<Trial>());
  return outcome;
}

// One row at a time, 20 ms each at the least CPU, which holds 50 ms.
Objective FiftyMs() {
  Objective objective;
  objective.latency_ms = {{"p95", 50}};
  return objective;
}

std::int64_t LoadsAt(const Outcome& outcome, const Limits& limits) {
  return std::count_if(outcome.trials.begin(), outcome.trials.end(), [&](const Trial& trial) {
    return trial.purpose == TrialPurpose::kLoadCurve && trial.limits == limits;
  });
}

TEST(SustainedLoadTest, IsTheMostInFlightThatHoldsTheObjective) {
  const Outcome outcome = Profiled({}, FiftyMs());
  const Recommendation& answer = outcome.profile.recommendation.value();
  ASSERT_TRUE(answer.verified);
  EXPECT_EQ(answer.requested.cpu(), Cores(0.1));
  EXPECT_EQ(answer.max_concurrency, 2);  // three wait for 60 ms
  EXPECT_NEAR(answer.max_requests_per_second.value_or(0), 50, 1);
  EXPECT_EQ(outcome.profile.measurements->measured_at, answer.requested);
  EXPECT_EQ(LoadsAt(outcome, answer.requested), 3);  // two, four and three at a time
}

TEST(SustainedLoadTest, IsTheObjectivesOwnWhereOneMoreIsTooMany) {
  const Outcome outcome = Profiled({}, {});
  const Recommendation& answer = outcome.profile.recommendation.value();
  EXPECT_TRUE(answer.verified);
  EXPECT_EQ(answer.tight, true);
  EXPECT_EQ(answer.max_concurrency, 1);
  EXPECT_NEAR(answer.max_requests_per_second.value_or(0), 500, 5);
  EXPECT_EQ(LoadsAt(outcome, answer.requested), 1);
}

TEST(SustainedLoadTest, IsTheHighestRateThatHoldsTheObjective) {
  Objective objective;
  objective.requests_per_second = 22;
  objective.arrivals = Arrivals::kConstant;
  objective.latency_ms = {{"p95", 30}};
  const Outcome outcome = Profiled({}, objective);
  const Recommendation& answer = outcome.profile.recommendation.value();
  ASSERT_TRUE(answer.verified);
  EXPECT_EQ(answer.requested.cpu(), Cores(0.1));  // 50 rows a second at most
  EXPECT_EQ(answer.max_concurrency, std::nullopt);
  EXPECT_GE(answer.max_requests_per_second.value_or(0), 43);
  EXPECT_LE(answer.max_requests_per_second.value_or(0), 50);
}

TEST(SustainedLoadTest, LeavesTheAnswerVerifiedWhereMoreLoadKillsTheModel) {
  FakeModel model;
  model.per_waiting_row = MiB(100);
  const Outcome outcome = Profiled(model, FiftyMs());
  EXPECT_EQ(outcome.profile.state, ProfileState::kSucceeded);
  const Recommendation& answer = outcome.profile.recommendation.value();
  EXPECT_TRUE(answer.verified);
  EXPECT_EQ(answer.requested.memory(), MiB(224));
  EXPECT_EQ(answer.max_concurrency, 1);
  EXPECT_NEAR(answer.max_requests_per_second.value_or(0), 50, 1);
  EXPECT_EQ(LoadsAt(outcome, answer.requested), 0);
}

TEST(SustainedLoadTest, IsNotMeasuredWhereATenthOfTheBudgetHoldsNoContainer) {
  const Outcome outcome = Profiled({}, FiftyMs(), std::chrono::seconds(60));
  const Recommendation& answer = outcome.profile.recommendation.value();
  EXPECT_TRUE(answer.verified);
  EXPECT_EQ(answer.max_concurrency, 1);
  EXPECT_EQ(LoadsAt(outcome, answer.requested), 0);
}

}  // namespace
}  // namespace mlprof::server::phases
