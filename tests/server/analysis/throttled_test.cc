#include "server/analysis/throttled.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

Sample At(int ms, int throttled_ms) {
  Sample sample;
  sample.at = milliseconds(ms);
  sample.throttled_time = milliseconds(throttled_ms);
  return sample;
}

TEST(ThrottledTimesTest, TouchesWhatWasInFlightWhileThrottledTimeRose) {
  const std::vector<Sample> samples = {At(0, 0),   At(10, 0),   At(60, 50),
                                       At(70, 50), At(150, 80), At(160, 80)};
  const ThrottledTimes throttled(samples);
  EXPECT_FALSE(throttled.Touch(milliseconds(0), milliseconds(9)));
  EXPECT_TRUE(throttled.Touch(milliseconds(5), milliseconds(12)));
  EXPECT_TRUE(throttled.Touch(milliseconds(20), milliseconds(30)));
  EXPECT_FALSE(throttled.Touch(milliseconds(61), milliseconds(69)));
  EXPECT_TRUE(throttled.Touch(milliseconds(61), milliseconds(75)));
  EXPECT_TRUE(throttled.Touch(milliseconds(0), milliseconds(500)));
  EXPECT_FALSE(throttled.Touch(milliseconds(151), milliseconds(500)));
}

TEST(ThrottledTimesTest, IsNothingWithoutSamplesOrWhereACounterBeginsAnew) {
  EXPECT_FALSE(ThrottledTimes({}).Touch(milliseconds(0), milliseconds(500)));
  const std::vector<Sample> samples = {At(0, 90), At(10, 0), At(20, 0)};
  EXPECT_FALSE(ThrottledTimes(samples).Touch(milliseconds(0), milliseconds(500)));
}

}  // namespace
}  // namespace mlprof::server
