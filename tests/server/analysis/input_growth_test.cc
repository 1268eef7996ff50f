#include "server/analysis/input_growth.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/server/analysis/memory_traces.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;
using traces::Level;

constexpr std::int64_t kRows = 200;
constexpr milliseconds kRow{10};
constexpr int kPasses = 3;  // over the rows; the first one is judged against the others

// A sample of every request of the passes, `level` in MiB over the share of all of them, with half
// a MiB of counter noise each way.
std::vector<Sample> Samples(const Level& level, SeededRandom& random) {
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < kPasses * kRows; ++i) {
    Sample sample;
    sample.at = kRow * i;
    const double share = static_cast<double>(i) / static_cast<double>(kPasses * kRows);
    const double mib = level(share) + random.Between(-0.5, 0.5);
    sample.unreclaimable = Bytes(static_cast<std::int64_t>(mib * 1024 * 1024));
    samples.push_back(sample);
  }
  return samples;
}

RequestStretch Pass(int number, int passes = 1) {
  return {kRow * kRows * number, kRow * kRows * (number + passes), kRows * passes};
}

std::optional<InputGrowth> GrowthOf(const Level& level, SeededRandom& random) {
  const std::vector<RequestStretch> again = {Pass(1, kPasses - 1)};
  return JudgeInputGrowth(Samples(level, random), Pass(0), again);
}

// `mib` kept by the end of the first pass, and no more from then on.
Level KeptForRows(double mib) {
  return [mib](double at) { return 100 + mib * std::min(1.0, at * kPasses); };
}

TEST(InputGrowthTest, IsToldAsBytesOfADistinctRow) {
  SeededRandom random(1);
  const auto growth = GrowthOf(KeptForRows(12.5), random);  // 64 KiB a row
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->rows, kRows);
  EXPECT_NEAR(growth->bytes_per_row, 65536, 6000);
}

TEST(InputGrowthTest, IsFoundInMostTraces) {
  SeededRandom random(2);
  int found = 0;
  for (int i = 0; i < 100; ++i) found += GrowthOf(KeptForRows(12.5), random) ? 1 : 0;
  EXPECT_GE(found, 95);
}

TEST(InputGrowthTest, IsNoLeakWhichGoesOnWhenRowsComeAgain) {
  SeededRandom random(3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(GrowthOf(traces::Leaking(traces::Flat(100), 40, 0), random)) << i;
  }
}

TEST(InputGrowthTest, IsNoWarmUpOfAnAllocatorNorALargestRow) {
  SeededRandom random(4);
  int taken = 0;
  for (int i = 0; i < 200; ++i) {
    taken += GrowthOf(traces::Saturating(random), random) ? 1 : 0;
    taken += GrowthOf(traces::WarmUpSteps(random), random) ? 1 : 0;
    taken += GrowthOf(traces::Saw(random), random) ? 1 : 0;
    taken += GrowthOf(traces::LargestSoFar({30, kRows * kPasses}, random), random) ? 1 : 0;
  }
  EXPECT_LE(taken, 16) << "of 800";
}

TEST(InputGrowthTest, IsNoneWhereABoundWasMet) {
  SeededRandom random(5);
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(
        GrowthOf([](double at) { return 100 + 30 * std::min(1.0, at * kPasses * 3); }, random))
        << i;
  }
}

TEST(InputGrowthTest, IsNotToldWhereTheRowsDidNotComeAgain) {
  SeededRandom random(6);
  const std::vector<Sample> samples = Samples(KeptForRows(12.5), random);
  EXPECT_FALSE(JudgeInputGrowth(samples, Pass(0), {}));
  const std::vector<RequestStretch> few = {{kRow * kRows, kRow * (kRows + 8), 8}};
  EXPECT_FALSE(JudgeInputGrowth(samples, Pass(0), few));
  EXPECT_FALSE(JudgeInputGrowth({}, Pass(0), few));
}

}  // namespace
}  // namespace mlprof::server
