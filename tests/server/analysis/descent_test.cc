#include "server/analysis/descent.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

// Runs against a model that needs `need`; returns how many runs it took.
int Descend(Descent& descent, const Amount& need) {
  int runs = 0;
  while (const auto limit = descent.Next()) {
    EXPECT_LT(*limit, descent.accepted());
    descent.Tell(*limit >= need);
    if (++runs > 20) break;
  }
  return runs;
}

TEST(OneStepLowerTest, IsATenthOr16MiBOnTheGrid) {
  EXPECT_EQ(OneStepLower(MiB(1600)), MiB(1440));
  EXPECT_EQ(OneStepLower(MiB(512)), MiB(448));
  EXPECT_EQ(OneStepLower(MiB(64)), MiB(48));
  EXPECT_EQ(OneStepLower(MiB(32)), std::nullopt);
  EXPECT_EQ(OneStepLower(Cores(0.2)), Cores(0.1));
  EXPECT_EQ(OneStepLower(Cores(0.1)), std::nullopt);
}

TEST(DescentTest, IsTightWhenOneStepLowerFailsTwice) {
  Descent descent(MiB(512));
  EXPECT_EQ(descent.tight(), std::nullopt);
  descent.Tell(false);
  EXPECT_EQ(descent.tight(), std::nullopt);
  EXPECT_EQ(Descend(descent, MiB(500)), 1);
  EXPECT_EQ(descent.tight(), true);
  EXPECT_EQ(descent.accepted(), MiB(512));
  EXPECT_EQ(descent.failed(), MiB(448));
}

TEST(DescentTest, TakesAStepOnlyAfterThreePasses) {
  Descent descent(Cores(1.0));
  descent.Tell(true);
  descent.Tell(true);
  EXPECT_EQ(descent.accepted(), Cores(1.0));
  EXPECT_EQ(descent.tight(), false);
  descent.Tell(true);
  EXPECT_EQ(descent.accepted(), Cores(0.9));
  EXPECT_EQ(descent.tight(), std::nullopt);
  EXPECT_EQ(Descend(descent, Cores(0.9)), 2);
  EXPECT_EQ(descent.tight(), true);
}

// Of the runs one step lower, in their order.
Descent After(std::initializer_list<bool> passed) {
  Descent descent(Cores(1.0));
  for (const bool outcome : passed) descent.Tell(outcome);
  return descent;
}

TEST(DescentTest, IsTightWhereTwoOfThreeRunsFailed) {
  for (const Descent& descent : {After({true, false, false}), After({false, true, false})}) {
    EXPECT_EQ(descent.Next(), std::nullopt);
    EXPECT_EQ(descent.accepted(), Cores(1.0));
    EXPECT_EQ(descent.failed(), Cores(0.9));
    EXPECT_EQ(descent.tight(), true);
  }
}

TEST(DescentTest, IsNotTightWhereTwoOfThreeRunsPassedAndTakesNoStepThatEverFailed) {
  for (const Descent& descent :
       {After({true, false, true}), After({false, true, true}), After({true, true, false})}) {
    EXPECT_EQ(descent.Next(), std::nullopt);
    EXPECT_EQ(descent.accepted(), Cores(1.0));
    EXPECT_EQ(descent.failed(), std::nullopt);
    EXPECT_EQ(descent.tight(), false);
  }
}

TEST(DescentTest, ClaimsNothingOfOneRun) {
  EXPECT_EQ(After({true}).tight(), std::nullopt);
  EXPECT_EQ(After({false}).tight(), std::nullopt);
  EXPECT_EQ(After({true, false}).tight(), std::nullopt);
}

TEST(DescentTest, TakesNoStepThatMayNotBeTaken) {
  Descent lucky(Cores(1.0));
  lucky.Tell(true, false);
  EXPECT_EQ(lucky.Next(), Cores(0.9));
  lucky.Tell(true, true);
  EXPECT_EQ(lucky.Next(), std::nullopt);
  EXPECT_EQ(lucky.accepted(), Cores(1.0));
  EXPECT_EQ(lucky.tight(), false);
}

TEST(DescentTest, IsNotTightWhereOneStepLowerHeldInVain) {
  Descent held(MiB(512));
  held.TellHeldInVain();
  EXPECT_EQ(held.Next(), std::nullopt);
  EXPECT_EQ(held.accepted(), MiB(512));
  EXPECT_EQ(held.tight(), false);
}

TEST(DescentTest, AsksAThirdTimeWhereTheStepThatHeldInVainFailedToo) {
  for (const bool third_passed : {true, false}) {
    Descent descent(MiB(512));
    descent.Tell(false);
    descent.TellHeldInVain();
    EXPECT_EQ(descent.Next(), MiB(448));
    descent.Tell(third_passed);
    EXPECT_EQ(descent.Next(), std::nullopt);
    EXPECT_EQ(descent.tight(), !third_passed);
  }
}

TEST(DescentTest, EndsAfterThreeStepsWithoutAClaim) {
  Descent descent(Cores(2.0));
  EXPECT_EQ(Descend(descent, Cores(0.1)), 9);
  EXPECT_EQ(descent.accepted(), Cores(1.7));
  EXPECT_EQ(descent.tight(), std::nullopt);
}

TEST(DescentTest, IsTightAtItsFloorWhereNothingIsTried) {
  Descent descent(MiB(32));
  EXPECT_TRUE(descent.at_floor());
  EXPECT_EQ(descent.Next(), std::nullopt);
  EXPECT_EQ(descent.tight(), true);
  Descent near(Cores(0.2));
  EXPECT_FALSE(near.at_floor());
  EXPECT_EQ(Descend(near, Cores(0.1)), 3);
  EXPECT_EQ(near.accepted(), Cores(0.1));
  EXPECT_EQ(near.tight(), true);
}

}  // namespace
}  // namespace mlprof::server
