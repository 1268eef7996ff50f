#include "server/analysis/series.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mlprof {
namespace {

TEST(MakeSeriesTest, TakesRatesOverAtLeastATenthOfASecond) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 20; ++i) {
    Sample sample;
    sample.at = std::chrono::milliseconds(10 * i);
    sample.cpu_time = std::chrono::milliseconds(5 * i);
    samples.push_back(sample);
  }
  const auto series = MakeSeries(samples);
  ASSERT_EQ(series.at("cpuCores").size(), 2U);
  EXPECT_NEAR(series.at("cpuCores")[0].second, 0.5, 1e-9);
  EXPECT_EQ(series.at("memoryInBytes").size(), 21U);
}

TEST(MakeSeriesTest, StartsAnewWithANewContainer) {
  std::vector<Sample> samples(4);
  samples[0].cpu_time = std::chrono::seconds(9);
  samples[1].at = std::chrono::seconds(1);
  samples[2].at = std::chrono::seconds(2);
  samples[2].cpu_time = std::chrono::seconds(1);
  samples[3].at = std::chrono::seconds(3);
  samples[3].cpu_time = std::chrono::seconds(2);
  const Series cores = MakeSeries(samples).at("cpuCores");
  ASSERT_EQ(cores.size(), 2U);
  for (const auto& [at, value] : cores) EXPECT_NEAR(value, 1.0, 1e-9);
}

TEST(MakeSeriesTest, GivesPeaksAndLagWhereTheyWereRead) {
  std::vector<Sample> samples(3);
  samples[1].at = std::chrono::seconds(1);
  samples[1].peak_unreclaimable = MiB(500);
  samples[2].at = std::chrono::seconds(2);
  samples[2].send_lag = std::chrono::microseconds(250);
  const auto series = MakeSeries(samples);
  EXPECT_EQ(series.at("peakMemoryInBytes"), (Series{{1.0, 500.0 * 1024 * 1024}}));
  EXPECT_EQ(series.at("sendLagInMs"), (Series{{2.0, 0.25}}));
  EXPECT_FALSE(series.contains("mappedFileInBytes"));
}

TEST(MakeSeriesTest, TellsTheShareOfTimeThatStoodWaitingForMemory) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 20; ++i) {
    Sample sample;
    sample.at = std::chrono::milliseconds(100 * i);
    samples.push_back(sample);
  }
  EXPECT_FALSE(MakeSeries(samples).contains("memoryStallShare"));
  for (Sample& sample : samples) sample.memory_stall = std::chrono::milliseconds(10);
  for (std::size_t i = 5; i < samples.size(); ++i) {
    samples[i].memory_stall = std::chrono::milliseconds(260);
  }
  const Series stalled = MakeSeries(samples).at("memoryStallShare");
  ASSERT_EQ(stalled.size(), 2U);
  EXPECT_NEAR(stalled[0].second, 0.25, 1e-9);
  EXPECT_EQ(stalled[1].second, 0);
}

TEST(MakeSeriesTest, CountsTheThreadsThatWaitForACore) {
  std::vector<Sample> samples(301);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].at = std::chrono::milliseconds(10 * i);
    if (i % 50 == 0) samples[i].run_queue_wait = std::chrono::milliseconds(15 * i);
  }
  const Series waiting = MakeSeries(samples).at("waitingThreads");
  ASSERT_EQ(waiting.size(), 3U);
  EXPECT_NEAR(waiting.back().second, 1.5, 1e-9);
}

TEST(MakeSeriesTest, MakesNoStallOfAnotherContainersCounter) {
  std::vector<Sample> samples(3);
  samples[0].memory_stall = std::chrono::seconds(9);
  samples[1].at = std::chrono::seconds(1);
  samples[1].memory_stall = std::chrono::milliseconds(0);
  samples[2].at = std::chrono::seconds(2);
  samples[2].memory_stall = std::chrono::milliseconds(100);
  const Series stalled = MakeSeries(samples).at("memoryStallShare");
  ASSERT_EQ(stalled.size(), 1U);
  EXPECT_NEAR(stalled[0].second, 0.1, 1e-9);
}

TEST(ThinTest, KeepsTheExtremes) {
  Series series;
  for (int i = 0; i < 10'000; ++i) series.emplace_back(i, i % 7);
  series[5003].second = 1000;
  series[7001].second = -1000;
  const Series thin = Thin(series, 100);
  EXPECT_LE(thin.size(), 100U);
  const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
  EXPECT_EQ(std::max_element(thin.begin(), thin.end(), by_value)->second, 1000);
  EXPECT_EQ(std::min_element(thin.begin(), thin.end(), by_value)->second, -1000);
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end()));
}

TEST(ThinTest, LeavesAShortSeriesAlone) {
  const Series series = {{0, 1}, {1, 2}};
  EXPECT_EQ(Thin(series, 100), series);
}

}  // namespace
}  // namespace mlprof
