#include "common/text/cpuset.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(CpusetTextTest, WritesRangesThatReadBack) {
  EXPECT_EQ(CpusetText({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(ParseCpuset("0-2,5,7-8"), (std::vector<int>{0, 1, 2, 5, 7, 8}));
  EXPECT_TRUE(ParseCpuset("").empty());
}

}  // namespace
}  // namespace mlprof
