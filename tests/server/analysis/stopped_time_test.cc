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

TEST(StoppedTimeTest, LiesRightBeforeTheSampleThatCountsIt) {
  const std::vector<Sample> samples = {Counted(0, 0), Counted(10, 0), Counted(70, 50),
                                       Counted(80, 50), Counted(160, 60)};
  const StoppedTime stopped(samples);  // from 20 to 70, and from 150 to 160
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(20)), milliseconds(0));
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(30)), milliseconds(10));
  EXPECT_EQ(stopped.Within(milliseconds(30), milliseconds(40)), milliseconds(10));
  EXPECT_EQ(stopped.Within(milliseconds(60), milliseconds(155)), milliseconds(15));
  EXPECT_EQ(stopped.Within(milliseconds(0), milliseconds(500)), milliseconds(60));
  EXPECT_EQ(stopped.Within(milliseconds(200), milliseconds(500)), milliseconds(0));
}

TEST(StoppedTimeTest, IsNoLongerThanTheTimeInWhichSeveralCoresWereStopped) {
  const std::vector<Sample> samples = {Counted(0, 0), Counted(10, 80), Counted(20, 80)};
  EXPECT_EQ(StoppedTime(samples).Within(milliseconds(0), milliseconds(500)), milliseconds(10));
}

TEST(StoppedTimeTest, IsNothingWithoutSamplesOrWhereACounterBeginsAnew) {
  const std::vector<Sample> anew = {Counted(0, 90), Counted(10, 0), Counted(20, 0)};
  EXPECT_EQ(StoppedTime({}).Within(milliseconds(0), milliseconds(500)), milliseconds(0));
  EXPECT_EQ(StoppedTime(anew).Within(milliseconds(0), milliseconds(500)), milliseconds(0));
}

}  // namespace
}  // namespace mlprof::server
