// The series that a profile leaves.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"
#include "tests/server/storage/former_samples.h"

namespace mlprof::server {
namespace {

Profile Finished(ProfilingBench& bench) {
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  return bench.AwaitEnd("p");
}

// Empty where there is none of that name.
Series Shown(ProfilingBench& bench, const std::string& name) {
  const auto all = bench.service().Samples("default", "p", {});
  EXPECT_TRUE(all.has_value());
  for (const Series& series : all.value_or(std::vector<Series>())) {
    if (series.name == name) return series;
  }
  return {};
}

TEST(ProfileSeriesTest, CountTheirTimeFromTheBeginningOfTheRun) {
  ProfilingBench bench;
  bench.runtime.on_prepare = [&](const std::stop_token&) {
    bench.runtime.PassTime(std::chrono::seconds(40));
  };
  Finished(bench);
  const Series memory = Shown(bench, "memoryInBytes");
  ASSERT_FALSE(memory.points.empty());
  EXPECT_GE(memory.points.front().at, std::chrono::seconds(40));
  EXPECT_LT(memory.points.back().at, std::chrono::seconds(40) + kBudget);
}

TEST(ProfileSeriesTest, AreCutToTheRangeThatIsAskedFor) {
  ProfilingBench bench;
  Finished(bench);
  ProfileService::SampleRange range;
  range.from = 1.0;
  range.to = 3.0;
  range.max_points = 10;
  const auto some = bench.service().Samples("default", "p", range);
  ASSERT_TRUE(some && !some->empty());
  for (const Series& series : *some) {
    ASSERT_FALSE(series.points.empty()) << series.name;
    EXPECT_LE(series.points.size(), 10U);
    EXPECT_GE(series.points.front().at, std::chrono::seconds(1));
    EXPECT_LE(series.points.back().at, std::chrono::seconds(3));
  }
  range.from = range.to = 1e6;
  EXPECT_TRUE(bench.service().Samples("default", "p", range)->empty());
}

TEST(ProfileSeriesTest, AreMadeOfTheSamplesOfAProfileFromBeforeThereWereSeries) {
  ProfilingBench bench;
  const Profile profile = Finished(bench);
  std::vector<Sample> former(2);
  former[0].unreclaimable = former[1].unreclaimable = MiB(7);
  former[1].at = std::chrono::seconds(1);
  ASSERT_TRUE(bench.profiles().ClearMeasured(profile.id));
  ASSERT_TRUE(AddFormerSamples(bench.database(), profile.id, former));
  const Series memory = Shown(bench, "memoryInBytes");
  EXPECT_EQ(memory.unit, "bytes");
  ASSERT_EQ(memory.points.size(), 2U);
  EXPECT_EQ(memory.points[1].value, 7.0 * 1024 * 1024);
}

}  // namespace
}  // namespace mlprof::server
