#include "server/profiling/lab/core_split.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

CoreSiblings Single(int cores) {
  CoreSiblings siblings;
  for (int core = 0; core < cores; ++core) siblings.push_back({core});
  return siblings;
}

TEST(CoreSplitTest, SharesFewerThanFourCores) {
  EXPECT_FALSE(SplitCores(Single(2)));
  EXPECT_FALSE(SplitCores(Single(3)));
}

TEST(CoreSplitTest, GivesAQuarterToTheReplayer) {
  const auto four = SplitCores(Single(4));
  EXPECT_EQ(four->replayer, (std::vector<int>{3}));
  EXPECT_EQ(four->model, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(SplitCores(Single(16))->replayer.size(), 4U);
}

TEST(CoreSplitTest, NeverSplitsHyperThreadsOfOneCore) {
  // Four physical cores of two threads: n and n + 4 are siblings.
  CoreSiblings siblings;
  for (int core = 0; core < 8; ++core) siblings.push_back({core % 4, core % 4 + 4});
  const auto split = SplitCores(siblings);
  EXPECT_EQ(split->replayer, (std::vector<int>{3, 7}));
  EXPECT_EQ(split->model, (std::vector<int>{0, 1, 2, 4, 5, 6}));
}

}  // namespace
}  // namespace mlprof::server
