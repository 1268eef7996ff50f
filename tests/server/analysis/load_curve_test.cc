#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "server/analysis/load_curve.h"

namespace mlprof::server {
namespace {

std::vector<LoadLevel> Curve(const std::vector<double>& throughputs) {
  std::vector<LoadLevel> levels;
  int concurrency = 1;
  for (const double throughput : throughputs) {
    LoadLevel level;
    level.concurrency = concurrency;
    level.requests_per_second = throughput;
    levels.push_back(level);
    concurrency *= 2;
  }
  return levels;
}

TEST(KneeTest, GoesOnWhileADoublingStillPays) {
  EXPECT_FALSE(LoadSaturated({}));
  EXPECT_FALSE(LoadSaturated(Curve({100, 101})));
  EXPECT_FALSE(LoadSaturated(Curve({100, 102, 110})));
  EXPECT_FALSE(LoadSaturated(Curve({100, 190, 195})));
}

TEST(KneeTest, StopsAfterTwoDoublingsOfLittleGain) {
  EXPECT_TRUE(LoadSaturated(Curve({100, 190, 195, 196})));
  EXPECT_TRUE(LoadSaturated(Curve({100, 102, 90})));
}

TEST(KneeTest, StopsAtErrors) {
  auto levels = Curve({100, 200});
  levels.back().error_rate = 0.02;
  EXPECT_TRUE(LoadSaturated(levels));
}

TEST(KneeTest, IsTheFirstLevelNearTheBest) {
  EXPECT_EQ(KneeConcurrency(Curve({100, 190, 195, 196})), 2);
  EXPECT_EQ(KneeConcurrency(Curve({100, 99, 90})), 1);
  EXPECT_EQ(KneeConcurrency(Curve({100, 200, 400, 410, 405})), 4);
}

TEST(KneeTest, IsNotKnownOfACurveThatWasCutOff) {
  EXPECT_EQ(KneeConcurrency({}), std::nullopt);
  EXPECT_EQ(KneeConcurrency(Curve({100})), std::nullopt);
  EXPECT_EQ(KneeConcurrency(Curve({100, 101})), std::nullopt);
  EXPECT_EQ(KneeConcurrency(Curve({100, 200, 400})), std::nullopt);
  EXPECT_EQ(KneeConcurrency(Curve({100, 200, 400, 410})), std::nullopt);
}

TEST(KneeTest, TakesNoThroughputOfErrors) {
  auto levels = Curve({100, 200, 4000});
  levels.back().error_rate = 0.5;
  EXPECT_EQ(KneeConcurrency(levels), 2);
  EXPECT_EQ(KneeConcurrency(Curve({0, 0, 0})), std::nullopt);
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What is tried on a server that bears up to `capacity`.
std::vector<double> Climb(LoadLadder& ladder, double capacity) {
  std::vector<double> tried;
  while (const auto load = ladder.Next()) {
    tried.push_back(*load);
    ladder.Tell(*load, *load <= capacity);
    if (tried.size() > 20) break;
  }
  return tried;
}

TEST(LoadLadderTest, DoublesUntilItIsTooMuchAndThenLooksBetween) {
  LoadLadder ladder(1, 256, true);
  EXPECT_THAT(Climb(ladder, 6), ElementsAre(2, 4, 8, 6, 7));
  EXPECT_EQ(ladder.borne(), 6);
}

TEST(LoadLadderTest, FindsNothingBetweenOneAndTwoAtATime) {
  LoadLadder ladder(1, 256, true);
  EXPECT_THAT(Climb(ladder, 1), ElementsAre(2));
  EXPECT_EQ(ladder.borne(), 1);
}

TEST(LoadLadderTest, ComesNearToTheHighestRate) {
  LoadLadder ladder(20, 1000, false);
  EXPECT_THAT(Climb(ladder, 26), ElementsAre(40, 30, 25, 27.5));
  EXPECT_EQ(ladder.borne(), 25);
}

TEST(LoadLadderTest, NeverTriesMoreThanTheMost) {
  LoadLadder ladder(20, 50, false);
  EXPECT_THAT(Climb(ladder, 1000), ElementsAre(40, 50));
  EXPECT_EQ(ladder.borne(), 50);
  LoadLadder no_room(20, 20, false);
  EXPECT_THAT(Climb(no_room, 1000), IsEmpty());
  LoadLadder less(20, 10, false);
  EXPECT_THAT(Climb(less, 1000), IsEmpty());
  EXPECT_EQ(less.borne(), 20);
}

TEST(LoadLadderTest, EndsAfterAFewTries) {
  LoadLadder ladder(1, 256, true);
  EXPECT_THAT(Climb(ladder, 1000), ElementsAre(2, 4, 8, 16, 32));
}

}  // namespace
}  // namespace mlprof::server
