#include "server/analysis/start_cost.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

constexpr Cores kTwoCores(2.0);

Objective Within(double limit) {
  Objective objective;
  objective.start_within_seconds = limit;
  return objective;
}

TEST(CoresToStartTest, AreThoseThatHaveItsCpuSecondsInTime) {
  EXPECT_EQ(CoresToStart({10, 10}, 20, kTwoCores), Cores(0.5));
  EXPECT_EQ(CoresToStart({10, 10}, 19, kTwoCores), Cores(0.6));
  EXPECT_EQ(CoresToStart({5, 10}, 20, kTwoCores), Cores(0.5));  // on two threads
}

TEST(CoresToStartTest, MakeNoWaitShorter) {
  // 6 s of waiting leave 4 s for 2 CPU seconds.
  EXPECT_EQ(CoresToStart({8, 2}, 10, kTwoCores), Cores(0.5));
}

TEST(CoresToStartTest, AreTheLeastWhereAStartTakesHardlyAny) {
  EXPECT_EQ(CoresToStart({60, 0.5}, 300, kTwoCores), Cores(0.1));
}

TEST(CoresToStartTest, AreTheCeilingWhereNoneAreEnough) {
  EXPECT_EQ(CoresToStart({30, 30}, 20, kTwoCores), kTwoCores);
  EXPECT_EQ(CoresToStart({10, 10}, 1, Cores(3.75)), Cores(3.7));
}

TEST(StartFiguresTest, AreTheMediansOfWhatWasMeasured) {
  const std::vector<StartTime> at_limits = {{31, 10}, {30, 9}, {50, 11}};
  const std::vector<StartTime> at_ceiling = {{6, 9}, {4, 8}, {20, 30}};
  const StartFigures start = FiguresOfStarts(at_limits, at_ceiling, {}, kTwoCores);
  EXPECT_EQ(start.at_limits, (StartTime{31, 10}));
  EXPECT_EQ(start.at_ceiling, (StartTime{6, 9}));
  EXPECT_EQ(start.startup_cpu, Cores(1.5));  // that it kept busy
}

TEST(StartFiguresTest, AskForTheCoresThatStartItAsSoonAsTheObjectiveSays) {
  const std::vector<StartTime> at_ceiling = {{6, 10}};
  EXPECT_EQ(FiguresOfStarts({}, at_ceiling, Within(20), kTwoCores).startup_cpu, Cores(0.5));
  EXPECT_EQ(FiguresOfStarts({}, at_ceiling, {}, kTwoCores).at_limits, std::nullopt);
}

TEST(StartFiguresTest, OfOtherLimitsAreNotKnown) {
  StartFigures own{StartTime{31, 10}, {6, 10}, Cores(1.7)};
  EXPECT_EQ(ForecastStart(own, Cores(0.3), Cores(0.3), {}, kTwoCores), own);
  const StartFigures other = ForecastStart(own, Cores(0.3), Cores(0.5), Within(20), kTwoCores);
  EXPECT_EQ(other.at_limits, std::nullopt);
  EXPECT_EQ(other.startup_cpu, Cores(0.5));
}

TEST(StartFiguresTest, AreSlowAtOverTwiceTheTimeOfTheCeiling) {
  EXPECT_TRUE(StartsSlowly({StartTime{12.1, 10}, {6, 10}, Cores(1)}));
  EXPECT_FALSE(StartsSlowly({StartTime{12, 10}, {6, 10}, Cores(1)}));
  EXPECT_FALSE(StartsSlowly({StartTime{0.9, 0.1}, {0.1, 0.1}, Cores(1)}));  // no second longer
  EXPECT_FALSE(StartsSlowly({std::nullopt, {6, 10}, Cores(1)}));
}

TEST(StartFiguresTest, AreToldWithTheirCores) {
  const StartFigures start{StartTime{31, 10}, {6, 10}, Cores(1)};
  EXPECT_EQ(StartText(start, Cores(0.3), kTwoCores), "31 s at 0.3 cores, 6 s at 2");
  EXPECT_EQ(StartText({std::nullopt, {6, 10}, Cores(1)}, Cores(0.3), kTwoCores), "6 s at 2 cores");
}

}  // namespace
}  // namespace mlprof::server
