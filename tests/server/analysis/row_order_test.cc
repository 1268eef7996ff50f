#include "server/analysis/row_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace mlprof::server {
namespace {

std::vector<std::uint32_t> RowsUpTo(std::uint32_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

TEST(BlockedOrderTest, HoldsEveryRowOnceInAnotherOrderForEachContainer) {
  const auto first = BlockedOrder(RowsUpTo(97), 1);
  const auto second = BlockedOrder(RowsUpTo(97), 2);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, BlockedOrder(RowsUpTo(97), 1));
  EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), second.begin(), second.end()));
  EXPECT_EQ(std::set<std::uint32_t>(first.begin(), first.end()).size(), 97U);
  EXPECT_TRUE(BlockedOrder({}, 1).empty());
}

TEST(BlockedOrderTest, ReachesTheSameRowsInEveryContainer) {
  for (const std::uint32_t rows : {31U, 97U, 600U}) {
    const auto first = BlockedOrder(RowsUpTo(rows), 1);
    const auto second = BlockedOrder(RowsUpTo(rows), 2);
    const auto reached = static_cast<std::ptrdiff_t>(UpToWholeBlock(rows, 25));
    EXPECT_TRUE(std::is_permutation(first.begin(), first.begin() + reached, second.begin(),
                                    second.begin() + reached))
        << rows;
  }
}

TEST(BlockedOrderTest, HasItsShareOfTheDearRowsInEveryBlock) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto order = BlockedOrder(RowsUpTo(600), seed);  // the last thirty are heavy
    for (std::size_t block = 0; block < 30; ++block) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(block * kBlockRows);
      EXPECT_EQ(std::count_if(begin, begin + kBlockRows, [](auto row) { return row >= 570; }), 1);
    }
  }
}

TEST(WholeBlocksTest, LeaveOutTheBlockThatALoadEndedIn) {
  EXPECT_EQ(RowsOfWholeBlocks(200, 59), 40U);
  EXPECT_EQ(RowsOfWholeBlocks(200, 60), 60U);
  EXPECT_EQ(RowsOfWholeBlocks(200, 200), 200U);
  EXPECT_EQ(RowsOfWholeBlocks(200, 1000), 200U);
  EXPECT_EQ(RowsOfWholeBlocks(200, 7), 7U);
  EXPECT_EQ(RowsOfWholeBlocks(5, 3), 3U);
  EXPECT_EQ(RowsOfWholeBlocks(0, 3), 0U);
}

TEST(WholeBlocksTest, AreWhatALoadGoesOnTo) {
  EXPECT_EQ(UpToWholeBlock(200, 59), 60U);
  EXPECT_EQ(UpToWholeBlock(200, 0), 0U);
  EXPECT_EQ(UpToWholeBlock(20, 59), 59U);
}

TEST(RowsByLatencyTest, GoesByTheMedianVisit) {
  const std::vector<Visit> visits = {{1, 50}, {1, 10}, {1, 11}, {2, 30}, {3, 5}, {2, 31}};
  EXPECT_EQ(RowsByLatency(visits), (std::vector<std::uint32_t>{3, 1, 2}));
}

}  // namespace
}  // namespace mlprof::server
