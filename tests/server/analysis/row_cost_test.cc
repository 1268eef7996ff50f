#include <gtest/gtest.h>

#include <vector>

#include "server/analysis/row_cost.h"

namespace mlprof::server {
namespace {

RowRecord RowOf(std::int64_t index, std::int64_t size, double cpu_ms) {
  RowRecord row;
  row.row = index;
  row.size = Bytes(size);
  row.status = 200;
  row.cpu_ms = cpu_ms;
  return row;
}

// 5 ms and 2 ms for each KiB.
std::vector<RowRecord> Rows(int count) {
  std::vector<RowRecord> rows;
  for (int i = 0; i < count; ++i) rows.push_back(RowOf(i, 1024L * (i + 1), 5 + 2.0 * (i + 1)));
  return rows;
}

TEST(PayloadCostTest, FindsBaseAndSlope) {
  const auto cost = FitPayloadCost(Rows(20));
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->cpu_base_ms, 5, 1e-9);
  EXPECT_NEAR(cost->cpu_ms_per_kib, 2, 1e-9);
  EXPECT_NEAR(cost->correlation, 1, 1e-9);
  EXPECT_FALSE(cost->memory_bytes_per_byte);
}

TEST(PayloadCostTest, StandsAgainstWildRowsAndLeavesFailedOnesOut) {
  auto rows = Rows(40);
  rows[3].cpu_ms = 5000;
  rows.push_back(RowOf(40, 1 << 20, 0.1));
  rows.back().status = 500;
  const auto cost = FitPayloadCost(rows);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->cpu_ms_per_kib, 2, 0.05);
  EXPECT_GT(cost->correlation, 0.8);
  EXPECT_LT(cost->correlation, 1);
}

TEST(PayloadCostTest, GivesMemoryForEachByteWhereItIsKnown) {
  auto rows = Rows(12);
  for (RowRecord& row : rows) row.peak_memory = Bytes(1000 + 3 * row.size.count());
  EXPECT_NEAR(FitPayloadCost(rows)->memory_bytes_per_byte.value_or(0), 3, 1e-9);
}

TEST(PayloadCostTest, IsAbsentOfFewRowsOrOneSize) {
  EXPECT_FALSE(FitPayloadCost(Rows(9)));
  auto rows = Rows(20);
  for (RowRecord& row : rows) row.size = Bytes(2048);
  EXPECT_FALSE(FitPayloadCost(rows));
  auto unknown = Rows(20);
  for (std::size_t i = 5; i < unknown.size(); ++i) unknown[i].cpu_ms.reset();
  EXPECT_FALSE(FitPayloadCost(unknown));
}

TEST(PayloadCostTest, FindsNoCorrelationWhereCpuIsTheSame) {
  auto rows = Rows(20);
  for (RowRecord& row : rows) row.cpu_ms = 7;
  const auto cost = FitPayloadCost(rows);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->correlation, 0);
  EXPECT_EQ(cost->cpu_ms_per_kib, 0);
}

std::vector<RowRecord> EvenRows(int count) {
  std::vector<RowRecord> rows;
  for (int i = 0; i < count; ++i) {
    RowRecord row;
    row.row = i;
    row.size = Bytes(100);
    row.status = 200;
    row.latency_ms = 12;
    row.cpu_ms = 10;
    row.peak_memory = MiB(1);
    rows.push_back(row);
  }
  return rows;
}

TEST(HeavyRowsTest, NamesNoneWhereAllAreAlike) {
  EXPECT_TRUE(NameHeavyRows(EvenRows(20)).empty());
  EXPECT_TRUE(NameHeavyRows({}).empty());
}

TEST(HeavyRowsTest, NamesARowForEachReasonItStandsOutBy) {
  auto rows = EvenRows(20);
  rows[4].cpu_ms = 50;
  rows[4].latency_ms = 55;
  rows[7].peak_memory = MiB(500);
  rows[9].size = Bytes(4096);
  const std::vector<HeavyRow> expected = {{4, "cpu", 50, 10},
                                          {7, "memory", 500.0 * 1024 * 1024, 1024.0 * 1024},
                                          {4, "latency", 55, 12},
                                          {9, "size", 4096, 100}};
  EXPECT_EQ(NameHeavyRows(rows), expected);
}

TEST(HeavyRowsTest, TakesNoMemoryUnder8MiBForHeavy) {
  auto rows = EvenRows(20);
  rows[7].peak_memory = MiB(8);
  EXPECT_TRUE(NameHeavyRows(rows).empty());
}

TEST(HeavyRowsTest, TakesNoFractionOfAMillisecondForHeavy) {
  auto rows = EvenRows(20);
  for (RowRecord& row : rows) row.cpu_ms = 0.05;
  rows[3].cpu_ms = 0.2;
  EXPECT_TRUE(NameHeavyRows(rows).empty());
  rows[3].cpu_ms = 0.3;
  EXPECT_EQ(NameHeavyRows(rows).size(), 1U);
}

TEST(HeavyRowsTest, NamesTheFiveLargestForOneReason) {
  auto rows = EvenRows(30);
  for (int i = 0; i < 8; ++i) rows[static_cast<std::size_t>(i)].cpu_ms = 100 + i;
  const auto heavy = NameHeavyRows(rows);
  ASSERT_EQ(heavy.size(), 5U);
  EXPECT_EQ(heavy.front().row, 7);
  EXPECT_EQ(heavy.back().row, 3);
}

TEST(HeavyRowsTest, TakesTheMemoryOfARowThatFailedButNotItsTime) {
  auto rows = EvenRows(20);
  rows[2].status = 0;
  rows[2].latency_ms = 60000;
  rows[2].peak_memory = MiB(300);
  const auto heavy = NameHeavyRows(rows);
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_EQ(heavy.front().why, "memory");
}

}  // namespace
}  // namespace mlprof::server
