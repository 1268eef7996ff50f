#include "server/analysis/heavy_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

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
