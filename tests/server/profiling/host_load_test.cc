#include "server/profiling/host_load.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

HostLoad At(double seconds, double busy, double steal, double own) {
  HostLoad load;
  load.at = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  load.busy_seconds = busy;
  load.steal_seconds = steal;
  load.own_seconds = own;
  return load;
}

TEST(HostLoadTest, ReadsTheFirstLineOfProcStat) {
  const auto load = ParseProcStat("cpu  100 20 30 5000 7 1 2 40 0 0\ncpu0 1 2 3\n", 100);
  ASSERT_TRUE(load.has_value());
  EXPECT_NEAR(load->busy_seconds, 1.53, 1e-9);
  EXPECT_NEAR(load->steal_seconds, 0.40, 1e-9);
}

TEST(HostLoadTest, RefusesAnythingElse) {
  EXPECT_FALSE(ParseProcStat("", 100).has_value());
  EXPECT_FALSE(ParseProcStat("intr 1 2 3", 100).has_value());
}

TEST(HostLoadTest, CountsNeitherTheModelNorTheControllerAsForeign) {
  const HostLoad before = At(0, 0, 0, 0);
  const HostLoad after = At(10, 15, 1, 2);
  EXPECT_NEAR(ForeignCores(before, after, 9), 0.4, 1e-9);
  EXPECT_EQ(ForeignCores(before, after, 100), 0);
  EXPECT_NEAR(StealShare(before, after, 2), 0.05, 1e-9);
}

}  // namespace
}  // namespace mlprof
