#include "server/analysis/row_mix.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

// Row 0 is cheap, row 1 takes ten times as long.
const std::vector<Visit> kUsual = {{0, 5'000}, {1, 50'000}};

TEST(RowMixTest, TellsTheSameOfWindowsOfCheapAndOfHeavyRows) {
  const RowMix mix(kUsual);
  const auto cheap = mix.WithAllRows({5, 5}, std::vector<Visit>{{0, 5'000}, {0, 5'000}});
  const auto heavy = mix.WithAllRows({50, 50}, std::vector<Visit>{{1, 50'000}, {1, 50'000}});
  ASSERT_TRUE(cheap && heavy);
  EXPECT_DOUBLE_EQ(cheap->p50_ms, 27.5);
  EXPECT_DOUBLE_EQ(cheap->cpu_ms_per_request, 27.5);
  EXPECT_DOUBLE_EQ(heavy->p50_ms, 27.5);
  EXPECT_DOUBLE_EQ(heavy->cpu_ms_per_request, 27.5);
}

TEST(RowMixTest, TellsOfAModelThatIsSlowerWhateverItsRows) {
  const RowMix mix(kUsual);
  const auto slower = mix.WithAllRows({7.5, 9}, std::vector<Visit>{{0, 7'500}, {0, 7'500}});
  EXPECT_DOUBLE_EQ(slower->p50_ms, 1.5 * 27.5);
  EXPECT_DOUBLE_EQ(slower->cpu_ms_per_request, 1.8 * 27.5);
}

TEST(RowMixTest, TakesTheMedianOfSeveralVisitsOfARow) {
  const RowMix mix(std::vector<Visit>{{0, 10'000}, {0, 900'000}, {0, 10'000}});
  EXPECT_DOUBLE_EQ(mix.WithAllRows({10, 1}, std::vector<Visit>{{0, 10'000}})->p50_ms, 10);
}

TEST(RowMixTest, TellsNothingOfRowsThatItDoesNotKnow) {
  std::vector<Visit> visits(18, {0, 5'000});
  visits.resize(20, {2, 70'000});
  EXPECT_DOUBLE_EQ(RowMix(kUsual).WithAllRows({5, 5}, visits)->p50_ms, 27.5)
      << "few may be unknown";
  visits.resize(21, {2, 70'000});
  EXPECT_FALSE(RowMix(kUsual).WithAllRows({5, 5}, visits));
  EXPECT_FALSE(RowMix(kUsual).WithAllRows({5, 5}, {}));
  EXPECT_FALSE(RowMix({}).WithAllRows({5, 5}, std::vector<Visit>{{0, 5'000}}));
  EXPECT_FALSE(RowMix(std::vector<Visit>{{0, 0}}).WithAllRows({5, 5}, std::vector<Visit>{{0, 9}}))
      << "a row that took no time is no measure";
}

}  // namespace
}  // namespace mlprof::server
