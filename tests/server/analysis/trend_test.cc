#include "server/analysis/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "server/analysis/seeded_random.h"

namespace mlprof::server {
namespace {

TEST(MannKendallTest, GivesTheNormalApproximationOfARisingSeries) {
  // S = 15, variance 28.33, z = 14 / 5.323 = 2.630.
  const std::array<double, 6> rising = {1, 2, 3, 4, 5, 6};
  EXPECT_NEAR(MannKendallRisingP(rising), 0.00427, 1e-4);
  const std::array<double, 6> falling = {6, 5, 4, 3, 2, 1};
  EXPECT_NEAR(MannKendallRisingP(falling), 1 - 0.00427, 1e-4);
}

TEST(MannKendallTest, CorrectsForTies) {
  // S = 12; variance (6×5×17 - 3 × 2×1×9) / 18 = 25.33; z = 11 / 5.033 = 2.186.
  const std::array<double, 6> stairs = {1, 1, 2, 2, 3, 3};
  EXPECT_NEAR(MannKendallRisingP(stairs), 0.01443, 1e-4);
}

TEST(MannKendallTest, SaysNothingOfEqualOrTooFewValues) {
  const std::array<double, 5> equal = {7, 7, 7, 7, 7};
  EXPECT_EQ(MannKendallRisingP(equal), 1);
  const std::array<double, 2> two = {1, 2};
  EXPECT_EQ(MannKendallRisingP(two), 1);
}

TEST(MannKendallTest, IsRareByChanceAsOftenAsItSays) {
  SeededRandom random(3);
  int alarms = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::array<double, 12> values{};
    for (double& value : values) value = random.Uniform();
    alarms += MannKendallRisingP(values) < 0.05;
  }
  EXPECT_GT(alarms, 60);
  EXPECT_LT(alarms, 130);
}

TEST(TheilSenTest, FindsTheLineUnderWildValues) {
  std::vector<Point> points;
  for (int i = 0; i < 50; ++i) points.push_back({i * 1.0, 3 + 2.0 * i});
  for (std::size_t i = 0; i < 10; ++i) points[i * 5].y = 1e6;
  const auto line = TheilSen(points);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope, 2, 0.2);
  EXPECT_NEAR(line->At(25), 53, 6);
}

TEST(TheilSenTest, HasNoSlopeWithoutDifferentX) {
  EXPECT_FALSE(TheilSen({}));
  const std::array<Point, 3> upright = {Point{1, 1}, Point{1, 2}, Point{1, 3}};
  EXPECT_FALSE(TheilSen(upright));
}

TEST(TheilSenTest, GivesTheSameOfManyPointsEveryTime) {
  SeededRandom random(5);
  std::vector<Point> points;
  for (int i = 0; i < 5000; ++i) points.push_back({i * 1.0, 10 + 0.5 * i + random.Normal() * 20});
  const auto first = TheilSen(points);
  const auto second = TheilSen(points);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->slope, second->slope);
  EXPECT_NEAR(first->slope, 0.5, 0.005);
}

TEST(MedianTest, TakesTheMiddleOrTheMeanOfTheMiddleTwo) {
  std::array<double, 3> odd = {9, 1, 5};
  EXPECT_EQ(MedianOf(odd), 5);
  std::array<double, 4> even = {9, 1, 5, 3};
  EXPECT_EQ(MedianOf(even), 4);
  EXPECT_EQ(MedianOf({}), 0);
}

}  // namespace
}  // namespace mlprof::server
