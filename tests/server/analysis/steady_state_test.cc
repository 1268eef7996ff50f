#include "server/analysis/steady_state.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

TEST(SteadyStateTest, WantsThreeWindows) {
  const std::vector<WarmUpWindow> two = {{10, 5}, {10, 5}};
  EXPECT_FALSE(IsSteady(two));
}

TEST(SteadyStateTest, JudgesOnlyTheLastThree) {
  const std::vector<WarmUpWindow> windows = {{90, 50}, {10.0, 5.0}, {10.5, 5.2}, {10.9, 5.4}};
  EXPECT_TRUE(IsSteady(windows));
}

TEST(SteadyStateTest, IsNotSteadyWhileLatencyOrCpuStillFalls) {
  const std::vector<WarmUpWindow> latency = {{12, 5}, {11, 5}, {10, 5}};
  const std::vector<WarmUpWindow> cpu = {{10, 6}, {10, 5.5}, {10, 5}};
  EXPECT_FALSE(IsSteady(latency));
  EXPECT_FALSE(IsSteady(cpu));
}

TEST(SteadyStateTest, IgnoresCpuTooSmallToResolve) {
  const std::vector<WarmUpWindow> windows = {{10, 0.01}, {10, 0.04}, {10, 0.02}};
  EXPECT_TRUE(IsSteady(windows));
}

}  // namespace
}  // namespace mlprof::server
