#include "server/analysis/stopped_time.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

Sample Counted(int ms, int throttled_ms) {
  Sample sample;
  sample.at = milliseconds(ms);
  sample.throttled_time = milliseconds(throttled_ms);
  return sample;
}

TEST(StoppedTimeTest, MayLieAnywhereBetweenTheSamplesThatCountIt) {
  const std::vector<Sample> samples = {Counted(0, 0), Counted(10, 0), Counted(20, 4),
                                       Counted(30, 4)};
  const StoppedTime stopped(samples);
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(10)), milliseconds(0));
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(13)), milliseconds(3));
  EXPECT_EQ(stopped.Within(milliseconds(11), milliseconds(18)), milliseconds(4));
  EXPECT_EQ(stopped.Within(milliseconds(18), milliseconds(500)), milliseconds(2));
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(500)), milliseconds(4));
  EXPECT_EQ(stopped.Within(milliseconds(20), milliseconds(500)), milliseconds(0));
}

TEST(StoppedTimeTest, TouchesWhatWasInFlightWhileTheCounterRose) {
  const std::vector<Sample> samples = {Counted(0, 0),   Counted(10, 0),   Counted(60, 50),
                                       Counted(70, 50), Counted(150, 80), Counted(160, 80)};
  const StoppedTime stopped(samples);
  const auto touches = [&](int from, int to) {
    return stopped.Within(milliseconds(from), milliseconds(to)) > milliseconds(0);
  };
  EXPECT_FALSE(touches(0, 9));
  EXPECT_TRUE(touches(5, 12));
  EXPECT_TRUE(touches(20, 30));
  EXPECT_FALSE(touches(61, 69));
  EXPECT_TRUE(touches(61, 75));
  EXPECT_TRUE(touches(0, 500));
  EXPECT_FALSE(touches(151, 500));
}

TEST(StoppedTimeTest, IsCountedWhenItEnds) {
  const std::vector<Sample> samples = {Counted(0, 0), Counted(50, 0), Counted(60, 30)};
  const StoppedTime stopped(samples);
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(40)), milliseconds(10));
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(100)), milliseconds(30));
}

TEST(StoppedTimeTest, IsNoLongerThanTheTimeInWhichSeveralCoresWereStopped) {
  const std::vector<Sample> samples = {Counted(0, 0), Counted(10, 80), Counted(20, 160)};
  EXPECT_EQ(StoppedTime(samples).Within(milliseconds(0), milliseconds(15)), milliseconds(15));
}

TEST(StoppedTimeTest, IsNothingWithoutSamplesOrWhereACounterBeginsAnew) {
  const std::vector<Sample> anew = {Counted(0, 90), Counted(10, 0), Counted(20, 0)};
  EXPECT_EQ(StoppedTime({}).Within(milliseconds(0), milliseconds(500)), milliseconds(0));
  EXPECT_EQ(StoppedTime(anew).Within(milliseconds(0), milliseconds(500)), milliseconds(0));
}

}  // namespace
}  // namespace mlprof::server
