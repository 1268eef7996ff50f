#include "server/analysis/first_visits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace mlprof::server {
namespace {

RowRecord Visited(double first_ms, double first_cpu_ms, double later_ms, double later_cpu_ms) {
  RowRecord row;
  row.status = 200;
  row.first_latency_ms = first_ms;
  row.first_cpu_ms = first_cpu_ms;
  row.latency_ms = later_ms;
  row.cpu_ms = later_cpu_ms;
  return row;
}

TEST(ColdRowsTest, TellWhatAFirstVisitCostsBesideALaterOne) {
  std::vector<RowRecord> rows(40, Visited(351, 301, 51, 1));
  rows[39] = Visited(371, 301, 71, 1);
  rows.emplace_back();  // visited once
  const auto cold = SummarizeColdRows(rows);
  ASSERT_TRUE(cold);
  EXPECT_EQ(cold->rows, 40);
  EXPECT_EQ(cold->dear_rows, 39) << "the first request pays for the process";
  EXPECT_NEAR(cold->average_latency_ms, 351.5, 1e-9);
  EXPECT_EQ(cold->p95_latency_ms, 351);
  EXPECT_NEAR(cold->warm_average_latency_ms, 51.5, 1e-9);
  EXPECT_EQ(cold->cpu_ms_per_row, 301);
  EXPECT_EQ(cold->warm_cpu_ms_per_row, 1);
  EXPECT_TRUE(FirstVisitsAreDear(*cold));
  EXPECT_FALSE(SummarizeColdRows({}));
}

TEST(ColdRowsTest, AreNotDearForAProcessThatStartsWithItsFirstRequest) {
  std::vector<RowRecord> rows(40, Visited(21, 20.5, 20, 20));
  rows[0] = Visited(2000, 1900, 20, 20);
  EXPECT_FALSE(FirstVisitsAreDear(*SummarizeColdRows(rows)));
}

TEST(ColdRowsTest, AreNotDearForARowThatWasDisturbedNorForMicroseconds) {
  std::vector<RowRecord> rows(40, Visited(0.9, 0.8, 0.3, 0.2));
  rows[7] = Visited(60, 20, 20, 20);
  rows[9] = Visited(60, 20, 20, 20);
  EXPECT_FALSE(FirstVisitsAreDear(*SummarizeColdRows(rows)));
}

TEST(ColdRowsTest, CostTheSameWithinATenthAsLaterOnes) {
  EXPECT_TRUE(FirstVisitsCostTheSame(
      *SummarizeColdRows(std::vector<RowRecord>(40, Visited(21.9, 21, 20, 20)))));
  EXPECT_FALSE(FirstVisitsCostTheSame(
      *SummarizeColdRows(std::vector<RowRecord>(40, Visited(22.1, 21, 20, 20)))));
}

TEST(ColdRowsTest, AreDearWhereAFewShapesAreCompiledFor) {
  std::vector<RowRecord> rows(60, Visited(21, 20, 20, 20));
  for (const std::size_t shape : {3U, 17U, 40U}) rows[shape] = Visited(320, 300, 20, 20);
  EXPECT_TRUE(FirstVisitsAreDear(*SummarizeColdRows(rows)));
}

// Three passes over `rows`, one after the other; the latency by pass and by visits so far.
std::vector<VisitCost> Visits(std::uint32_t rows,
                              const std::function<double(int pass, double visit)>& latency_ms) {
  std::vector<VisitCost> visits;
  for (int pass = 0; pass < 3; ++pass) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      const double ms = latency_ms(pass, static_cast<double>(visits.size()));
      visits.push_back({row, ms, ms});
    }
  }
  return visits;
}

TEST(ResponseCacheTest, IsRecognisedWhereRowsThatComeAgainCostNextToNothing) {
  const auto cache =
      RecognizeResponseCache(Visits(20, [](int pass, double) { return pass == 0 ? 20.5 : 0.3; }));
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->first_latency_ms, 20.5);
  EXPECT_EQ(cache->repeat_latency_ms, 0.3);
  EXPECT_EQ(cache->first_cpu_ms, 20.5);
}

TEST(ResponseCacheTest, IsRecognisedWhereOnlyTheEarlyRowsCameAgain) {
  auto visits = Visits(100, [](int pass, double) { return pass == 0 ? 20.5 : 0.3; });
  visits.resize(160);
  EXPECT_TRUE(RecognizeResponseCache(visits));
}

TEST(ResponseCacheTest, IsNoneOfAModelThatCompilesForARowAndWorksWhenItComesAgain) {
  EXPECT_FALSE(
      RecognizeResponseCache(Visits(40, [](int pass, double) { return pass == 0 ? 351 : 51; })));
}

TEST(ResponseCacheTest, IsNoneOfAProcessThatBecomesWarm) {
  for (const double constant : {5.0, 10.0, 20.0, 40.0, 80.0}) {
    EXPECT_FALSE(RecognizeResponseCache(Visits(20, [&](int, double visit) {
      return 2 + 38 * std::exp(-visit / constant);
    }))) << constant;
  }
}

TEST(ResponseCacheTest, IsNotJudgedByAFewRowsNorByOnePass) {
  const auto caching = [](int pass, double) { return pass == 0 ? 20.5 : 0.3; };
  EXPECT_FALSE(RecognizeResponseCache(Visits(9, caching)));
  auto once = Visits(100, caching);
  once.resize(140);
  EXPECT_FALSE(RecognizeResponseCache(once));
}

TEST(ResponseCacheTest, LeavesTheNeedToFirstVisits) {
  const ResponseCache cache{20, 50, 0.3, 20};
  Objective objective;
  objective.concurrency = 2;
  EXPECT_NEAR(*CoresOfFirstVisits(cache, objective), 0.8, 1e-9);
  objective.concurrency.reset();
  objective.requests_per_second = 10;
  EXPECT_NEAR(*CoresOfFirstVisits(cache, objective), 0.2, 1e-9);
  EXPECT_FALSE(CoresOfFirstVisits({20, 50, 0.3, std::nullopt}, objective));
}

}  // namespace
}  // namespace mlprof::server
