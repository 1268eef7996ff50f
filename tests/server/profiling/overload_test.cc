// What more load than the objective's takes is told apart from what the objective takes.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

TEST(OverloadTest, IsInNoFigureOfTheObjectivesLoad) {
  FakeModel model;
  model.per_waiting_row = MiB(10);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  const auto request = ProfilingBench::Request("p", std::chrono::seconds(300));
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(profile.measurements);
  EXPECT_EQ(profile.measurements->max_utilized_memory, MiB(200));
  ASSERT_TRUE(profile.findings.overload);
  EXPECT_GE(profile.findings.overload->max_utilized_memory.value_or(Bytes()), MiB(210));
  EXPECT_GE(profile.findings.overload->concurrency.value_or(0), 2);
}

TEST(OverloadTest, RowsThatAServerLeavesWaitingForEverEndTheCurveAndNotTheBudget) {
  FakeModel model;
  model.most_waiting = 3;  // a process a connection: a fourth has nobody to take it
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", std::chrono::seconds(120));
  request.budget_given = true;
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(profile.recommendation);
  EXPECT_TRUE(profile.recommendation->verified);
  ASSERT_TRUE(profile.findings.load);
  EXPECT_EQ(profile.findings.load->levels.back().concurrency, 2);
}

}  // namespace
}  // namespace mlprof::server
