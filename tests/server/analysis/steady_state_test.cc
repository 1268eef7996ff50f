#include "server/analysis/steady_state.h"

#include <gtest/gtest.h>

#include <span>
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

TEST(SteadyStateTest, IsWarmOnAHostThatVariesOnceItGetsNoFaster) {
  const std::vector<WarmUpWindow> noisy = {{10, 5},   {12, 6},   {11, 5.4},
                                           {12.5, 6}, {10.1, 5}, {12, 6}};
  EXPECT_FALSE(IsSteady(noisy));
  EXPECT_TRUE(IsNoFasterAnyMore(noisy));
  EXPECT_FALSE(IsNoFasterAnyMore(std::span(noisy).first(5))) << "three before and three after";
}

TEST(SteadyStateTest, IsNotWarmWhileEitherFigureOfTheBestWindowFalls) {
  const std::vector<WarmUpWindow> latency = {{20, 5}, {25, 6}, {18, 5}, {16, 6}, {20, 5}, {15, 6}};
  const std::vector<WarmUpWindow> cpu = {{10, 9}, {12, 8}, {10, 9}, {12, 7}, {10, 8}, {12, 7}};
  EXPECT_FALSE(IsNoFasterAnyMore(latency));
  EXPECT_FALSE(IsNoFasterAnyMore(cpu));
}

TEST(SteadyStateTest, IsNotBecomingFasterOnceTheNewestOfThreeWindowsTakesWhatThoseBeforeDid) {
  const std::vector<WarmUpWindow> swings = {{10, 15}, {12, 13}, {11, 15}};
  const std::vector<WarmUpWindow> latency_falls = {{20, 5}, {16, 5}, {14, 5}};
  const std::vector<WarmUpWindow> cpu_falls = {{10, 9}, {10, 7}, {10, 6}};
  const std::vector<WarmUpWindow> two = {{10, 16}, {12, 16}};
  EXPECT_TRUE(IsNotBecomingFaster(swings));
  const std::vector<WarmUpWindow> began_cold = {{20, 16}, {10, 16}, {14, 16}};
  EXPECT_FALSE(IsNotBecomingFaster(latency_falls));
  EXPECT_FALSE(IsNotBecomingFaster(began_cold));
  EXPECT_FALSE(IsNotBecomingFaster(cpu_falls));
  EXPECT_FALSE(IsNotBecomingFaster(two));
}

TEST(SteadyStateTest, IsAsWarmAsTheWarmModelWithinATenthOfBothFigures) {
  const WarmUpWindow warm{10, 5};
  EXPECT_TRUE(IsAsWarm({10.9, 5.4}, warm));
  EXPECT_TRUE(IsAsWarm({8, 4}, warm));
  EXPECT_FALSE(IsAsWarm({11.1, 5}, warm));
  EXPECT_FALSE(IsAsWarm({10, 5.6}, warm));
  EXPECT_TRUE(IsAsWarm({10, 0.04}, {10, 0.01})) << "too little to resolve";
}

TEST(SteadyStateTest, GivesAWindowWholePassesOfAboutASecond) {
  EXPECT_EQ(WholePasses(40, 50, 125), 120u);
  EXPECT_EQ(WholePasses(200, 50, 130), 200u);  // 1.5 s
  EXPECT_EQ(WholePasses(20, 50, 400), 400u);
  EXPECT_EQ(WholePasses(20, 50, 40), 60u);  // not fewer than 50
}

TEST(SteadyStateTest, LeavesWindowsToTheClockWhereAPassTakesLonger) {
  EXPECT_FALSE(WholePasses(300, 50, 130));
  EXPECT_FALSE(WholePasses(20, 50, 10));
  EXPECT_FALSE(WholePasses(20, 50, 0));
  EXPECT_FALSE(WholePasses(0, 50, 100));
}

TEST(SteadyStateTest, IsNoFasterInTheEndWhereTheBestOfTheLaterHalfTakesWhatThatOfTheEarlierDid) {
  const std::vector<WarmUpWindow> swings = {{15, 10}, {10, 10}, {14, 13}, {9.5, 9.5}};
  const std::vector<WarmUpWindow> latency_falls = {{15, 10}, {14, 10}, {12, 10}, {12, 10}};
  const std::vector<WarmUpWindow> cpu_falls = {{10, 15}, {10, 14}, {10, 12}, {10, 12}};
  const std::vector<WarmUpWindow> began_cold = {{12, 13}, {10, 10}, {10, 10}, {10, 10}};
  EXPECT_TRUE(IsNoFasterInTheEnd(swings));
  EXPECT_FALSE(IsNoFasterInTheEnd(began_cold));
  EXPECT_FALSE(IsNoFasterInTheEnd(latency_falls));
  EXPECT_FALSE(IsNoFasterInTheEnd(cpu_falls));
  EXPECT_FALSE(IsNoFasterInTheEnd(std::vector<WarmUpWindow>{{10, 10}}));
}

}  // namespace
}  // namespace mlprof::server
