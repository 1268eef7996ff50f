#include "server/analysis/latency.h"

#include <gtest/gtest.h>

#include <numeric>

namespace mlprof::server {
namespace {

TEST(HoldsWithConfidenceTest, AgreesWithTheBinomialTable) {
  EXPECT_TRUE(HoldsWithConfidence(59, 0, 0.95));
  EXPECT_FALSE(HoldsWithConfidence(58, 0, 0.95));
  EXPECT_FALSE(HoldsWithConfidence(59, 1, 0.95));
  EXPECT_TRUE(HoldsWithConfidence(93, 1, 0.95));
  EXPECT_TRUE(HoldsWithConfidence(299, 0, 0.99));
  EXPECT_FALSE(HoldsWithConfidence(298, 0, 0.99));
  EXPECT_TRUE(HoldsWithConfidence(1'000'000, 100, 0.99));
  EXPECT_FALSE(HoldsWithConfidence(0, 0, 0.95));
}

TEST(MissesWithConfidenceTest, AgreesWithTheBinomialTable) {
  EXPECT_TRUE(MissesWithConfidence(299, 7, 0.99));   // 3.3%
  EXPECT_FALSE(MissesWithConfidence(299, 6, 0.99));  // 8.2%
  EXPECT_TRUE(MissesWithConfidence(460, 10, 0.99));
  EXPECT_FALSE(MissesWithConfidence(465, 5, 0.99));
  EXPECT_FALSE(MissesWithConfidence(0, 0, 0.99));
  EXPECT_FALSE(MissesWithConfidence(299, 0, 0.99));
}

std::vector<std::uint32_t> OneTo(std::uint32_t n) {
  std::vector<std::uint32_t> us(n);
  std::iota(us.begin(), us.end(), 1U);
  for (auto& value : us) value *= 1000;
  return us;
}

TEST(LatencyDistributionTest, NamesTheNearestRank) {
  const LatencyDistribution hundred(OneTo(100));
  EXPECT_EQ(hundred.QuantileMs(0.50), 50);
  EXPECT_EQ(hundred.QuantileMs(0.95), 95);
  EXPECT_EQ(hundred.QuantileMs(0.99), 99);
  EXPECT_EQ(hundred.QuantileMs(1.0), 100);
  EXPECT_EQ(hundred.MeanMs(), 50.5);
}

TEST(LatencyDistributionTest, SaysNothingOfNothing) {
  const LatencyDistribution none({});
  EXPECT_FALSE(none.QuantileMs(0.5));
  EXPECT_FALSE(none.MeanMs());
}

TEST(FillLatenciesTest, LeavesOutPercentilesThatNoRequestLiesBeyond) {
  Measurements few;
  FillLatencies(LatencyDistribution(OneTo(100)), few);
  EXPECT_EQ(few.latency_p99_ms, 99);
  EXPECT_FALSE(few.latency_p999_ms);
  Measurements many;
  FillLatencies(LatencyDistribution(OneTo(1000)), many);
  EXPECT_EQ(many.latency_p999_ms, 999);
}

TEST(RequestsForConfidenceTest, AgreesWithTheBinomialTable) {
  EXPECT_EQ(RequestsForConfidence(0.90), 29U);
  EXPECT_EQ(RequestsForConfidence(0.95), 59U);
  EXPECT_EQ(RequestsForConfidence(0.99), 299U);
  EXPECT_EQ(RequestsForConfidence(0.999), 2995U);
}

TEST(QuantileOfKeyTest, KnowsTheFourKeys) {
  EXPECT_EQ(QuantileOfKey("p95"), 0.95);
  EXPECT_FALSE(QuantileOfKey("p42"));
}

// Row r takes r + 1 ms; visited so often.
std::vector<Visit> RowsVisited(std::uint32_t rows, std::size_t visits) {
  std::vector<Visit> all;
  for (std::size_t i = 0; i < visits; ++i) {
    const auto row = static_cast<std::uint32_t>(i % rows);
    all.push_back({row, (row + 1) * 1000});
  }
  return all;
}

TEST(LatencyByRowTest, GivesEveryRowTheSameWeightWhereverALoadEnds) {
  const auto whole = LatencyDistribution::ByRow(RowsVisited(10, 100));
  for (const std::size_t more : {1U, 4U, 9U}) {
    const auto cut = LatencyDistribution::ByRow(RowsVisited(10, 100 + more));
    EXPECT_NEAR(*cut.MeanMs(), 5.5, 1e-9);
    EXPECT_EQ(cut.QuantileMs(0.50), whole.QuantileMs(0.50));
    EXPECT_EQ(cut.QuantileMs(0.90), whole.QuantileMs(0.90));
    EXPECT_EQ(cut.QuantileMs(0.95), whole.QuantileMs(0.95));
    EXPECT_EQ(cut.rows(), 10U);
  }
}

TEST(LatencyByRowTest, IsThatOfRequestsWhereThereIsOneRow) {
  std::vector<Visit> visits;
  for (std::uint32_t ms = 1; ms <= 100; ++ms) visits.push_back({7, ms * 1000});
  EXPECT_EQ(LatencyDistribution::ByRow(visits).QuantileMs(0.95), 95);
  EXPECT_EQ(LatencyDistribution::ByRow({}).QuantileMs(0.95), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
