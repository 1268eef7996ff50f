#include "server/analysis/cpu_for_latency.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

Measurements Took(double p50_ms, double p95_ms) {
  Measurements load;
  load.latency_p50_ms = p50_ms;
  load.latency_p95_ms = p95_ms;
  return load;
}

Objective WithLatencies(std::map<std::string, double> latency_ms) {
  Objective objective;
  objective.latency_ms = std::move(latency_ms);
  return objective;
}

TEST(CpuForLatencyTest, IsTheShareOfTheTimeAllowedThatARowComputes) {
  EXPECT_EQ(CpuForLatency(WithLatencies({{"p95", 100}}), 1.0, Took(40, 40)), Cores(0.4));
}

TEST(CpuForLatencyTest, LeavesOutWhatARowWaitsAnyway) {
  // 10 ms of CPU and 10 ms of sleep, 30 ms allowed: 20 ms are left for the 10 ms of CPU.
  EXPECT_EQ(CpuForLatency(WithLatencies({{"p95", 30}}), 0.5, Took(20, 20)), Cores(0.5));
}

TEST(CpuForLatencyTest, CountsWhatRowsInFlightComputeTogether) {
  // Four rows of 27 ms in flight keep two cores busy.
  EXPECT_EQ(CpuForLatency(WithLatencies({{"p95", 108}}), 2.0, Took(54, 54)), Cores(1.0));
}

TEST(CpuForLatencyTest, IsOfTheLatencyThatTakesMost) {
  EXPECT_EQ(CpuForLatency(WithLatencies({{"p50", 40}, {"p95", 100}}), 1.0, Took(20, 80)),
            Cores(0.8));
}

TEST(CpuForLatencyTest, IsNotKnownOfWhatWasNotAskedMeasuredOrReachable) {
  EXPECT_FALSE(CpuForLatency({}, 1.0, Took(40, 40)));
  EXPECT_FALSE(CpuForLatency(WithLatencies({{"p99", 100}}), 1.0, Took(40, 40)));
  EXPECT_FALSE(CpuForLatency(WithLatencies({{"p95", 15}}), 0.1, Took(20, 20)));
  EXPECT_FALSE(CpuForLatency(WithLatencies({{"p95", 100}}), 0, Took(40, 40)));
}

}  // namespace
}  // namespace mlprof::server
