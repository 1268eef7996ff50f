#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

constexpr double kBusyCores = 1.9;

Profile ProfileOn(ProfilingBench& bench) {
  bench.RegisterInputs(TextRows(20));
  const auto request = bench.Request("p", std::chrono::seconds(300));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  return profile;
}

Profile ProfileBesideOtherWork(const FakeModel& model) {
  ProfilingBench bench(model);
  bench.busy_cores = kBusyCores;
  return ProfileOn(bench);
}

// Beside a neighbour that wants the model's core for four seconds in twelve.
Profile ProfileBesideComingAndGoing() {
  const ProfilingBench* host = nullptr;
  FakeModel model;
  model.sleeps_more = [&host] {
    return std::chrono::microseconds(host != nullptr && host->OtherWorkIsThere() ? 600 : 0);
  };
  ProfilingBench bench(model);
  bench.busy_cores = kBusyCores;
  bench.busy_every = std::chrono::seconds(12);
  host = &bench;
  return ProfileOn(bench);
}

TEST(NoisyHostTest, AsksForWhatRowsNeedByTheirOwnCpuTime) {
  FakeModel model;
  model.cpu_after_row = std::chrono::microseconds(600);
  const Profile profile = ProfileBesideOtherWork(model);
  EXPECT_TRUE(HasWarning(profile, "noisyHost"));
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

TEST(NoisyHostTest, ANeighbourThatComesAndGoesMakesCpuAloneUnsure) {
  const Profile profile = ProfileBesideComingAndGoing();
  EXPECT_TRUE(HasWarning(profile, "noisyHost"));
  ASSERT_TRUE(profile.recommendation);
  const Recommendation& answer = *profile.recommendation;
  EXPECT_TRUE(answer.verified);
  EXPECT_NEAR(answer.requested.cpu().value(), 1.0, 0.11);
  const Bound* cpu = answer.bounds.Find(ResourceKind::kCpu);
  const Bound* memory = answer.bounds.Find(ResourceKind::kMemory);
  ASSERT_TRUE(cpu != nullptr && memory != nullptr);
  EXPECT_EQ(cpu->confidence, Confidence::kLow);
  EXPECT_NE(cpu->because.find("--when-quiet"), std::string::npos) << cpu->because;

  ProfilingBench quiet{FakeModel()};
  const Profile beside_none = ProfileOn(quiet);
  ASSERT_TRUE(beside_none.recommendation);
  EXPECT_EQ(answer.requested.memory(), beside_none.recommendation->requested.memory());
  EXPECT_EQ(memory->confidence,
            beside_none.recommendation->bounds.Find(ResourceKind::kMemory)->confidence);
  EXPECT_NE(beside_none.recommendation->bounds.Find(ResourceKind::kCpu)->confidence,
            Confidence::kLow);
}

}  // namespace
}  // namespace mlprof::server
