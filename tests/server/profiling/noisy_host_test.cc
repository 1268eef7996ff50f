#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

constexpr double kBusyCores = 1.9;

Profile ProfileBesideOtherWork(const FakeModel& model) {
  ProfilingBench bench(model);
  bench.busy_cores = kBusyCores;
  bench.RegisterInputs(TextRows(20));
  const auto request = bench.Request("p", std::chrono::seconds(300));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  return profile;
}

TEST(NoisyHostTest, AsksForWhatRowsNeedByTheirOwnCpuTime) {
  FakeModel model;
  model.cpu_after_row = std::chrono::microseconds(600);
  const Profile profile = ProfileBesideOtherWork(model);
  EXPECT_TRUE(std::any_of(profile.warnings.begin(), profile.warnings.end(),
                          [](const Warning& w) { return w.code == "noisyHost"; }));
  ASSERT_TRUE(profile.recommendation);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(1.3));
  EXPECT_EQ(profile.recommendation->confidence, Confidence::kLow);
}

TEST(NoisyHostTest, OtherWorkThatHoldsEveryRowUpDoesNotLowerTheAnswer) {
  FakeModel model;
  model.held_up = std::chrono::microseconds(600);
  const Profile profile = ProfileBesideOtherWork(model);
  ASSERT_TRUE(profile.recommendation);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(1.0));
}

}  // namespace
}  // namespace mlprof::server
