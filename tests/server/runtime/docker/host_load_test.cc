#include "server/runtime/host_load.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

HostLoad At(double at_seconds, double busy, double steal, double own) {
  HostLoad load;
  load.at = std::chrono::milliseconds(static_cast<std::int64_t>(at_seconds * 1000));
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

TEST(HostLoadTest, ReadsHowLongTasksWaitedForACore) {
  EXPECT_NEAR(ParsePressureTotal("some avg10=1.00 avg60=0.50 avg300=0.10 total=2500000\n").value(),
              2.5, 1e-9);
  EXPECT_FALSE(ParsePressureTotal("").has_value());
  HostLoad before = At(0, 0, 0, 0);
  HostLoad after = At(10, 0, 0, 0);
  EXPECT_FALSE(CpuPressure(before, after).has_value());
  before.waited_seconds = 1;
  after.waited_seconds = 2.5;
  EXPECT_NEAR(CpuPressure(before, after).value(), 15, 1e-9);
}

TEST(HostLoadTest, SeesTheCoresClockFall) {
  EXPECT_NEAR(ParseMegahertz("cpu MHz\t\t: 3000.0\nx\ncpu MHz\t\t: 2000.0\n").value(), 2500, 1e-9);
  EXPECT_FALSE(ParseMegahertz("processor: 0\n").has_value());
  HostLoad before = At(0, 0, 0, 0);
  HostLoad after = At(10, 0, 0, 0);
  before.megahertz = 3000;
  after.megahertz = 2400;
  EXPECT_NEAR(FrequencyDrop(before, after), 0.2, 1e-9);
}

TEST(HostLoadTest, CountsNeitherTheModelNorTheControllerAsForeign) {
  const HostLoad before = At(0, 0, 0, 0);
  const HostLoad after = At(10, 15, 1, 2);
  EXPECT_NEAR(ForeignCores(before, after, 9), 0.4, 1e-9);
  EXPECT_EQ(ForeignCores(before, after, 100), 0);
  EXPECT_NEAR(StealShare(before, after, 2), 0.05, 1e-9);
}

}  // namespace
}  // namespace mlprof::server
