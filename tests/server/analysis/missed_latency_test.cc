#include "server/analysis/missed_latency.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

// `over` of so many rows take 120 ms, the others 1 ms.
std::vector<Visit> Visits(std::uint32_t rows, std::uint32_t over) {
  std::vector<Visit> visits;
  for (std::uint32_t row = 0; row < rows; ++row)
    visits.push_back({row, row < over ? 120'000u : 1'000u});
  return visits;
}

Objective Asking(const std::string& key, double ms) {
  Objective objective;
  objective.latency_ms = {{key, ms}};
  return objective;
}

TEST(MissedLatencyTest, ABlockOfWhichMostIsOverHasMissed) {
  EXPECT_TRUE(HasMissedLatency(Visits(20, 20), 59, Asking("p95", 100)));
  EXPECT_FALSE(HasMissedLatency(Visits(20, 20), 59, Asking("p95", 120)));
  EXPECT_FALSE(HasMissedLatency(Visits(20, 20), 59, {}));
}

TEST(MissedLatencyTest, FewThatAreOverMayBeThoseThatThePercentileLeaves) {
  EXPECT_FALSE(HasMissedLatency(Visits(20, 5), 59, Asking("p95", 100)));
  EXPECT_TRUE(HasMissedLatency(Visits(20, 6), 59, Asking("p95", 100)));
  EXPECT_FALSE(HasMissedLatency(Visits(20, 5), 299, Asking("p99", 100)));
  EXPECT_TRUE(HasMissedLatency(Visits(20, 6), 299, Asking("p99", 100)));
}

TEST(MissedLatencyTest, HalfOfABlockSaysNothingOfAMedian) {
  EXPECT_FALSE(HasMissedLatency(Visits(20, 20), 59, Asking("p50", 100)));
}

TEST(MissedLatencyTest, LessThanABlockShowsNothing) {
  EXPECT_FALSE(HasMissedLatency(Visits(19, 19), 59, Asking("p95", 100)));
}

// Whatever comes behind a block that has missed: the same rows fast, or only others.
TEST(MissedLatencyTest, WhatHasMissedMissesToItsEnd) {
  const Objective objective = Asking("p95", 100);
  for (const std::uint32_t rows : {20u, 25u, 40u, 200u}) {
    std::vector<Visit> load = Visits(20, 6);
    ASSERT_TRUE(HasMissedLatency(load, 59, objective));
    for (std::uint32_t i = 20; i < 60; ++i) load.push_back({i % rows, 1'000u});
    EXPECT_GT(*LatencyDistribution::ByRow(load).QuantileMs(0.95), 100) << rows;
  }
}

}  // namespace
}  // namespace mlprof::server
