#include "server/profiling/phases/search_memory.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

TEST(SearchMemoryTest, ChangesMemoryAloneAndKeepsTheRestOfTheCeiling) {
  const Limits ceiling{Cores(2.0), GiB(4), {GiB(16), 2}};
  LabBench bench({}, 20, ceiling);
  const MeasuredNeed need;
  ASSERT_TRUE(SearchMemory(bench.lab, bench.MeasuredAt(2), need, {MiB(304), MiB(512)}));
  ASSERT_FALSE(bench.runtime.launches().empty());
  for (const LaunchRequest& launch : bench.runtime.launches()) {
    EXPECT_LT(launch.limits.memory(), ceiling.memory());
    EXPECT_EQ(launch.limits, ceiling.With(launch.limits.memory()));
  }
}

}  // namespace
}  // namespace mlprof::server::phases
