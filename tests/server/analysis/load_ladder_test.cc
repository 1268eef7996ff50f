#include "server/analysis/load_ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

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
