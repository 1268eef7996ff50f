// Of the files that a model maps, its answer holds what serving reads again and again.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

constexpr Bytes kMapped = MiB(300);

Profile ProfileOf(ProfilingBench& bench) {
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  return bench.AwaitEnd("p");
}

// Of all cores, with less memory than the ceiling's.
int SearchesOfMemory(const ProfilingBench& bench) {
  int searches = 0;
  const std::vector<LaunchRequest> launches = bench.runtime.launches();
  const Limits& ceiling = launches.front().limits;
  for (const LaunchRequest& launch : launches) {
    const bool less_memory_alone = launch.limits != ceiling && launch.limits.cpu() == ceiling.cpu();
    searches += less_memory_alone ? 1 : 0;
  }
  return searches;
}

TEST(HotFilesTest, AreCountedWhereServingReadsThemAgainAndAgain) {
  FakeModel model;
  model.hot_file = kMapped;
  ProfilingBench bench(model);
  const Profile profile = ProfileOf(bench);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_GE(profile.recommendation->requested.memory(), MiB(500));
  EXPECT_LE(profile.recommendation->requested.memory(), MiB(620));
  EXPECT_GT(SearchesOfMemory(bench), 0);
}

TEST(HotFilesTest, AreNotSearchedWhereTheFirstContainerHoldsWithoutThem) {
  FakeModel model;
  model.cold_file = kMapped;
  ProfilingBench bench(model);
  const Profile profile = ProfileOf(bench);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->requested.memory(), MiB(224));
  EXPECT_EQ(SearchesOfMemory(bench), 0);
}

}  // namespace
}  // namespace mlprof::server
