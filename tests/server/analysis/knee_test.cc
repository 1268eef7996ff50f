#include "server/analysis/knee.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace mlprof::server
