#include "server/analysis/series.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mlprof::server {
namespace {

using Points = std::vector<SeriesPoint>;

std::map<std::string, Points> PointsByName(const std::vector<Sample>& samples) {
  std::map<std::string, Points> by_name;
  for (const Series& series : MakeSeries(samples)) by_name[series.name] = series.points;
  return by_name;
}

SeriesPoint At(int second, double value) { return {std::chrono::seconds(second), value}; }

TEST(MakeSeriesTest, TakesRatesOverAtLeastATenthOfASecond) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 20; ++i) {
    Sample sample;
    sample.at = std::chrono::milliseconds(10 * i);
    sample.cpu_time = std::chrono::milliseconds(5 * i);
    samples.push_back(sample);
  }
  const auto series = PointsByName(samples);
  ASSERT_EQ(series.at("cpuCores").size(), 2U);
  EXPECT_NEAR(series.at("cpuCores")[0].value, 0.5, 1e-9);
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
  const Points cores = PointsByName(samples).at("cpuCores");
  ASSERT_EQ(cores.size(), 2U);
  for (const SeriesPoint& point : cores) EXPECT_NEAR(point.value, 1.0, 1e-9);
}

TEST(MakeSeriesTest, GivesPeaksAndLagWhereTheyWereRead) {
  std::vector<Sample> samples(3);
  samples[1].at = std::chrono::seconds(1);
  samples[1].peak_unreclaimable = MiB(500);
  samples[2].at = std::chrono::seconds(2);
  samples[2].send_lag = std::chrono::microseconds(250);
  const auto series = PointsByName(samples);
  EXPECT_EQ(series.at("peakMemoryInBytes"), (Points{At(1, 500.0 * 1024 * 1024)}));
  EXPECT_EQ(series.at("sendLagInMs"), (Points{At(2, 0.25)}));
  EXPECT_FALSE(series.contains("mappedFileInBytes"));
}

TEST(MakeSeriesTest, TellsTheShareOfTimeThatStoodWaitingForMemory) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 20; ++i) {
    Sample sample;
    sample.at = std::chrono::milliseconds(100 * i);
    samples.push_back(sample);
  }
  EXPECT_FALSE(PointsByName(samples).contains("memoryStallShare"));
  for (Sample& sample : samples) sample.memory_stall = std::chrono::milliseconds(10);
  for (std::size_t i = 5; i < samples.size(); ++i) {
    samples[i].memory_stall = std::chrono::milliseconds(260);
  }
  const Points stalled = PointsByName(samples).at("memoryStallShare");
  ASSERT_EQ(stalled.size(), 2U);
  EXPECT_NEAR(stalled[0].value, 0.25, 1e-9);
  EXPECT_EQ(stalled[1].value, 0);
}

TEST(MakeSeriesTest, CountsTheThreadsThatWaitForACore) {
  std::vector<Sample> samples(301);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].at = std::chrono::milliseconds(10 * i);
    if (i % 50 == 0) samples[i].run_queue_wait = std::chrono::milliseconds(15 * i);
  }
  const Points waiting = PointsByName(samples).at("waitingThreads");
  ASSERT_EQ(waiting.size(), 3U);
  EXPECT_NEAR(waiting.back().value, 1.5, 1e-9);
}

TEST(MakeSeriesTest, MakesNoStallOfAnotherContainersCounter) {
  std::vector<Sample> samples(3);
  samples[0].memory_stall = std::chrono::seconds(9);
  samples[1].at = std::chrono::seconds(1);
  samples[1].memory_stall = std::chrono::milliseconds(0);
  samples[2].at = std::chrono::seconds(2);
  samples[2].memory_stall = std::chrono::milliseconds(100);
  const Points stalled = PointsByName(samples).at("memoryStallShare");
  ASSERT_EQ(stalled.size(), 1U);
  EXPECT_NEAR(stalled[0].value, 0.1, 1e-9);
}

TEST(MakeSeriesTest, SaysOfEverySeriesItsUnitAndWhatReadIt) {
  std::vector<Sample> samples(2);
  samples[1].at = std::chrono::seconds(1);
  samples[1].send_lag = std::chrono::microseconds(250);
  std::map<std::string, std::string> told;
  for (const Series& series : MakeSeries(samples)) {
    EXPECT_FALSE(series.points.empty()) << series.name;
    told[series.name] = series.unit + " by " + series.source;
  }
  const std::map<std::string, std::string> expected = {{"cpuCores", "cores by agent"},
                                                       {"memoryInBytes", "bytes by agent"},
                                                       {"cacheInBytes", "bytes by agent"},
                                                       {"processes", "tasks by agent"},
                                                       {"sendLagInMs", "milliseconds by replay"}};
  EXPECT_EQ(told, expected);
}

TEST(JoinTest, MakesOneOfThePartsOfEachNameAndSource) {
  const std::vector<Series> joined = Join({{"b", "bytes", "agent", {At(1, 10)}},
                                           {"a", "cores", "agent", {At(1, 1)}},
                                           {"b", "bytes", "agent", {At(2, 20)}}});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].name, "a");
  EXPECT_EQ(joined[1].unit, "bytes");
  EXPECT_EQ(joined[1].points, (Points{At(1, 10), At(2, 20)}));
}

TEST(ThinTest, KeepsTheExtremes) {
  Points series;
  for (int i = 0; i < 10'000; ++i) series.push_back(At(i, i % 7));
  series[5003].value = 1000;
  series[7001].value = -1000;
  const Points thin = Thin(series, 100);
  EXPECT_LE(thin.size(), 100U);
  const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
  EXPECT_EQ(std::max_element(thin.begin(), thin.end(), by_value)->value, 1000);
  EXPECT_EQ(std::min_element(thin.begin(), thin.end(), by_value)->value, -1000);
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(),
                             [](const auto& a, const auto& b) { return a.at < b.at; }));
}

TEST(ThinTest, LeavesAShortSeriesAlone) {
  const Points series = {At(0, 1), At(1, 2)};
  EXPECT_EQ(Thin(series, 100), series);
}

}  // namespace
}  // namespace mlprof::server
