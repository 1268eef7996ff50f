#include "server/analysis/what_if/quota_queue.h"

#include <gtest/gtest.h>

#include <array>

namespace mlprof::server {
namespace {

double Quantile(const QueueOutcome& outcome, double quantile) {
  return outcome.latencies.QuantileMs(quantile).value_or(-1);
}

// Measured on a real quota of half a core: p50 20.6 and p95 69.9 ms.
TEST(QuotaQueueTest, ThrottlesAsTheKernelDoes) {
  const std::array<RowWork, 1> rows = {RowWork{20, 0}};
  const auto outcome = SimulateClosedLoop(rows, {}, Cores(0.5), 1, 1000);
  EXPECT_EQ(outcome.latencies.count(), 1000U);
  EXPECT_NEAR(Quantile(outcome, 0.50), 20.6, 1);
  EXPECT_NEAR(Quantile(outcome, 0.95), 69.9, 1);
  EXPECT_NEAR(outcome.requests_per_second, 25, 0.5);
  EXPECT_NEAR(outcome.cores, 0.5, 0.01);
  EXPECT_GT(outcome.throttled_share, 0.9);
}

TEST(QuotaQueueTest, TakesOnlyTheWorkWhereTheQuotaDoesNotBind) {
  const std::array<RowWork, 1> rows = {RowWork{20, 5}};
  const auto outcome = SimulateClosedLoop(rows, {}, Cores(1.0), 1, 500);
  EXPECT_NEAR(Quantile(outcome, 0.5), 25, 0.01);
  EXPECT_NEAR(Quantile(outcome, 1), 25, 0.01);
  EXPECT_EQ(outcome.throttled_share, 0);
}

TEST(QuotaQueueTest, RunsARequestOnSeveralCoresAtOnce) {
  const std::array<RowWork, 1> rows = {RowWork{40, 0}};
  const ServerShape parallel{1, 4, 4};
  EXPECT_NEAR(Quantile(SimulateClosedLoop(rows, parallel, Cores(4.0), 1, 100), 0.5), 10, 0.01);
  // 4 cores use up 200 ms in 50 ms: five requests, then 50 ms of standing.
  const auto throttled = SimulateClosedLoop(rows, parallel, Cores(2.0), 1, 1000);
  EXPECT_NEAR(Quantile(throttled, 0.5), 10, 0.01);
  EXPECT_NEAR(Quantile(throttled, 0.99), 60, 0.01);
  EXPECT_NEAR(throttled.requests_per_second, 50, 1);
}

TEST(QuotaQueueTest, QueuesBehindItsWorkers) {
  const std::array<RowWork, 1> rows = {RowWork{0, 10}};
  const auto one = SimulateClosedLoop(rows, {1, 1, 4}, Cores(4.0), 4, 400);
  EXPECT_NEAR(Quantile(one, 0.5), 40, 0.01);
  EXPECT_NEAR(one.requests_per_second, 100, 1);
  const auto four = SimulateClosedLoop(rows, {4, 1, 4}, Cores(4.0), 4, 400);
  EXPECT_NEAR(Quantile(four, 0.5), 10, 0.01);
  EXPECT_NEAR(four.requests_per_second, 400, 4);
}

TEST(QuotaQueueTest, SharesTheCoresEvenly) {
  const std::array<RowWork, 1> rows = {RowWork{10, 0}};
  const auto outcome = SimulateClosedLoop(rows, {4, 1, 1}, Cores(1.0), 4, 400);
  EXPECT_NEAR(Quantile(outcome, 0.5), 40, 0.01);
  EXPECT_NEAR(outcome.cores, 1, 0.01);
}

// M/D/1 at 70% of one worker: the mean is s (1 + rho / (2 (1 - rho))) = 21.67 ms.
TEST(QuotaQueueTest, QueuesAtRandomArrivalsAsTheoryHasIt) {
  const std::array<RowWork, 1> rows = {RowWork{0, 10}};
  const auto poisson =
      SimulateOpenLoop(rows, {1, 1, 1}, Cores(1.0), {70, Arrivals::kPoisson, 5}, 100'000);
  EXPECT_NEAR(poisson.latencies.MeanMs().value_or(0), 21.67, 1);
  EXPECT_NEAR(poisson.requests_per_second, 70, 1.5);
  const auto constant =
      SimulateOpenLoop(rows, {1, 1, 1}, Cores(1.0), {70, Arrivals::kConstant, 5}, 1000);
  EXPECT_NEAR(Quantile(constant, 1), 10, 0.01);
}

TEST(QuotaQueueTest, GivesTheSameForTheSameSeed) {
  const std::array<RowWork, 2> rows = {RowWork{5, 1}, RowWork{20, 0}};
  const auto run = [&](std::uint64_t seed) {
    const auto outcome =
        SimulateOpenLoop(rows, {2, 1, 2}, Cores(0.7), {30, Arrivals::kPoisson, seed}, 2000);
    return Quantile(outcome, 0.95);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(QuotaQueueTest, LetsAnOverloadGrowAndStillEnds) {
  const std::array<RowWork, 1> rows = {RowWork{20, 0}};
  const auto outcome =
      SimulateOpenLoop(rows, {1, 1, 1}, Cores(0.5), {50, Arrivals::kPoisson, 1}, 2000);
  EXPECT_EQ(outcome.latencies.count(), 2000U);
  EXPECT_GT(Quantile(outcome, 0.95), 10'000);
  EXPECT_NEAR(outcome.requests_per_second, 25, 0.5);
}

TEST(QuotaQueueTest, IsEmptyOfNothing) {
  const std::array<RowWork, 1> rows = {RowWork{20, 0}};
  EXPECT_EQ(SimulateClosedLoop({}, {}, Cores(1.0), 1, 10).latencies.count(), 0U);
  EXPECT_EQ(SimulateClosedLoop(rows, {}, Cores(1.0), 1, 0).latencies.count(), 0U);
  EXPECT_EQ(
      SimulateOpenLoop(rows, {}, Cores(1.0), {0, Arrivals::kConstant, 1}, 10).latencies.count(),
      0U);
  const std::array<RowWork, 1> nothing = {RowWork{0, 0}};
  EXPECT_EQ(SimulateClosedLoop(nothing, {}, Cores(1.0), 2, 10).latencies.count(), 10U);
}

}  // namespace
}  // namespace mlprof::server
