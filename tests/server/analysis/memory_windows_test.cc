#include "server/analysis/memory_plateau.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<Sample> SamplesEvery(milliseconds step, seconds until, Bytes first, Bytes growth) {
  std::vector<Sample> samples;
  Bytes memory = first;
  for (milliseconds at{0}; at <= until; at += step) {
    Sample sample;
    sample.at = at;
    sample.unreclaimable = memory;
    memory = memory + growth;
    samples.push_back(sample);
  }
  return samples;
}

TEST(MemoryWindowsTest, SharesTheRequestsOfAStretchEvenly) {
  const auto samples = SamplesEvery(milliseconds(10), seconds(4), MiB(100), Bytes());
  const std::vector<RequestStretch> stretches = {{seconds(0), seconds(3), 30}};
  const auto windows = MakeMemoryWindows(samples, stretches, seconds(1));
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].requests, 10);
  EXPECT_EQ(windows[2].requests_before, 20);
  EXPECT_EQ(windows[2].low, MiB(100));
}

TEST(MemoryWindowsTest, CountsRequestsWhenTheyWereAnsweredWhereThatIsKnown) {
  const auto samples = SamplesEvery(milliseconds(10), seconds(4), MiB(100), Bytes());
  RequestStretch stretch{seconds(0), seconds(3), 4};
  stretch.answered = {milliseconds(200), milliseconds(900), milliseconds(1000), seconds(3)};
  const auto windows = MakeMemoryWindows(samples, std::vector<RequestStretch>{stretch}, seconds(1));
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].requests, 2);
  EXPECT_EQ(windows[1].requests, 1);
  EXPECT_EQ(windows[2].requests_before, 3);
  EXPECT_EQ(windows[2].requests, 1);
}

TEST(MemoryWindowsTest, CountsRequestsOnOverStretches) {
  const auto samples = SamplesEvery(milliseconds(10), seconds(6), MiB(100), KiB(1));
  const std::vector<RequestStretch> stretches = {{seconds(0), seconds(1), 7},
                                                 {seconds(4), seconds(6), 20}};
  const auto windows = MakeMemoryWindows(samples, stretches, seconds(1));
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[1].requests_before, 7);
  EXPECT_EQ(windows[1].low, MiB(100) + KiB(400));
}

TEST(MemoryWindowsTest, KeepsAPeakBetweenTwoSamplesOutOfTheLow) {
  auto samples = SamplesEvery(milliseconds(10), seconds(1), MiB(100), Bytes());
  samples[50].peak_unreclaimable = MiB(600);
  const auto windows = MakeMemoryWindows(
      samples, std::vector<RequestStretch>{{seconds(0), seconds(1), 5}}, seconds(1));
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].peak, MiB(600));
  EXPECT_EQ(windows[0].low, MiB(100));
}

TEST(MemoryWindowsTest, LeavesOutAWindowWithoutASample) {
  const std::vector<RequestStretch> stretches = {{seconds(0), seconds(1), 5}};
  EXPECT_TRUE(MakeMemoryWindows({}, stretches, seconds(1)).empty());
}

}  // namespace
}  // namespace mlprof::server
