// A machine on which a process can be limited in nothing.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

struct Unlimited {
  Profile profile;
  std::vector<LaunchRequest> launches;
};

Unlimited ProfileWithoutLimits() {
  FakeModel model;
  model.serving_peak = MiB(200);
  ProfilingBench bench(model);
  bench.runtime.HoldNoLimits();
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service()
                  .Create("default", bench.Request("p", std::chrono::seconds(300)), {})
                  .has_value());
  return {bench.AwaitEnd("p"), bench.runtime.launches()};
}

TEST(UnlimitedHostTest, EndsWithTheNeedThatWasMeasuredAndProvesNothing) {
  const Unlimited unlimited = ProfileWithoutLimits();
  ASSERT_EQ(unlimited.profile.state, ProfileState::kSucceeded);
  ASSERT_TRUE(unlimited.profile.recommendation.has_value());
  EXPECT_FALSE(unlimited.profile.recommendation->verified);
  EXPECT_FALSE(unlimited.profile.recommendation->tight.has_value());
  EXPECT_GE(unlimited.profile.recommendation->requested.memory(), MiB(200));
}

TEST(UnlimitedHostTest, LaunchesNothingBelowTheCeiling) {
  const Unlimited unlimited = ProfileWithoutLimits();
  ASSERT_FALSE(unlimited.launches.empty());
  const Limits& ceiling = unlimited.launches.front().limits;
  EXPECT_TRUE(std::all_of(
      unlimited.launches.begin(), unlimited.launches.end(),
      [&](const LaunchRequest& launch) { return launch.limits.memory() == ceiling.memory(); }));
}

}  // namespace
}  // namespace mlprof::server
