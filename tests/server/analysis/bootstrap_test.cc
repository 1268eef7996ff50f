#include "server/analysis/bootstrap.h"

#include <gtest/gtest.h>

#include <vector>

#include "server/analysis/seeded_random.h"

namespace mlprof {
namespace {

std::vector<double> Normals(std::size_t count, SeededRandom& random) {
  std::vector<double> values(count);
  for (double& value : values) value = 100 + 10 * random.Normal();
  return values;
}

// Runs of `length` values that share most of their deviation.
std::vector<double> Alike(std::size_t count, std::size_t length, SeededRandom& random) {
  std::vector<double> values;
  double shared = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % length == 0) shared = 10 * random.Normal();
    values.push_back(100 + shared + random.Normal());
  }
  return values;
}

TEST(BootstrapTest, HoldsTheTrueMeanAsOftenAsItSays) {
  SeededRandom random(1);
  int held = 0;
  for (int i = 0; i < 200; ++i) {
    const auto interval =
        BootstrapMean(Normals(200, random), {1, static_cast<std::uint64_t>(i), 300});
    ASSERT_TRUE(interval);
    held += interval->low <= 100 && 100 <= interval->high;
  }
  EXPECT_GE(held, 180);
  EXPECT_LE(held, 199);
}

TEST(BootstrapTest, HoldsTheTruePercentileAsOftenAsItSays) {
  const double truth = 100 + 10 * 1.6449;
  SeededRandom random(2);
  int held = 0;
  for (int i = 0; i < 200; ++i) {
    const auto interval = BootstrapQuantile(Normals(400, random), 0.95, {1, 3, 300});
    ASSERT_TRUE(interval);
    held += interval->low <= truth && truth <= interval->high;
  }
  EXPECT_GE(held, 176);
  EXPECT_LE(held, 199);
}

TEST(BootstrapTest, WidensWithBlocksWhereNeighboursAreAlike) {
  SeededRandom random(4);
  int held_by_blocks = 0;
  int held_by_single_values = 0;
  for (int i = 0; i < 100; ++i) {
    const auto values = Alike(1000, 20, random);
    const auto blocks = BootstrapMean(values, {40, 1, 200});
    const auto single = BootstrapMean(values, {1, 1, 200});
    ASSERT_TRUE(blocks && single);
    held_by_blocks += blocks->low <= 100 && 100 <= blocks->high;
    held_by_single_values += single->low <= 100 && 100 <= single->high;
  }
  EXPECT_GE(held_by_blocks, 82);
  EXPECT_LE(held_by_single_values, 60);
}

TEST(BootstrapTest, GivesTheSameForTheSameSeed) {
  SeededRandom random(5);
  const auto values = Normals(5000, random);
  const auto one = BootstrapQuantile(values, 0.99, {50, 9});
  const auto other = BootstrapQuantile(values, 0.99, {50, 9});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->low, other->low);
  EXPECT_EQ(one->high, other->high);
  EXPECT_GT(one->HalfWidth(), 0);
}

TEST(BootstrapTest, GivesNearestRanks) {
  const std::vector<double> equal(50, 7.5);
  EXPECT_EQ(BootstrapQuantile(equal, 0.95, {})->low, 7.5);
  EXPECT_EQ(BootstrapQuantile(equal, 0.95, {})->high, 7.5);
  // The largest of a resample misses the largest value in about a third of them.
  std::vector<double> rising(100);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<double>(i);
  const auto interval = BootstrapQuantile(rising, 1, {});
  EXPECT_EQ(interval->high, 99);
  EXPECT_GE(interval->low, 94);
  EXPECT_LT(interval->low, 99);
}

TEST(BootstrapTest, SaysNothingOfAFewValues) {
  const std::vector<double> few(7, 1.0);
  EXPECT_FALSE(BootstrapMean(few, {}));
  EXPECT_FALSE(BootstrapQuantile({}, 0.5, {}));
}

}  // namespace
}  // namespace mlprof
