#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof {
namespace {

constexpr std::chrono::seconds kBudget{300};

TEST(NoisyHostTest, AsksForWhatRowsNeedByTheirOwnCpuTime) {
  FakeModel model;
  model.cpu_after_row = std::chrono::microseconds(600);
  ProfilingBench bench(model);
  bench.busy_cores = 1.9;
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(std::any_of(profile.warnings.begin(), profile.warnings.end(),
                          [](const Warning& w) { return w.code == "noisyHost"; }));
  EXPECT_EQ(profile.recommendation->requested.cpu, Cores(1.3));
  EXPECT_EQ(profile.recommendation->confidence, Confidence::kLow);
}

TEST(NoisyHostTest, OtherWorkThatHoldsEveryRowUpDoesNotLowerTheAnswer) {
  FakeModel model;
  model.held_up = std::chrono::microseconds(600);
  ProfilingBench bench(model);
  bench.busy_cores = 1.9;
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_EQ(profile.recommendation->requested.cpu, Cores(1.0));
}

}  // namespace
}  // namespace mlprof
