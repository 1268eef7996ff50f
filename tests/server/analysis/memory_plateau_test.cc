#include "server/analysis/memory_plateau.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/server/analysis/memory_traces.h"

namespace mlprof::server {
namespace {

constexpr int kTraces = 1000;

struct Clean {
  const char* name;
  std::function<traces::Level(const traces::Shape&, SeededRandom&)> level;
};

const std::array<Clean, 8> kCleans = {{
    {"flat", [](const auto&, auto&) { return traces::Flat(100); }},
    {"warm-up steps", [](const auto&, auto& random) { return traces::WarmUpSteps(random); }},
    {"saturating", [](const auto&, auto& random) { return traces::Saturating(random); }},
    {"one late step", [](const auto&, auto& random) { return traces::LateSteps(1, random); }},
    {"two late steps", [](const auto&, auto& random) { return traces::LateSteps(2, random); }},
    {"saw", [](const auto&, auto& random) { return traces::Saw(random); }},
    {"largest so far", traces::LargestSoFar},
    {"wandering", traces::Wandering},
}};

traces::Shape AnyShape(std::int64_t requests, SeededRandom& random) {
  return {20 + static_cast<int>(random.Index(40)), requests};
}

// Share of made-up traces that are said to grow.
template <class MakeLevel>
double GrowingShare(std::uint64_t seed, std::int64_t requests, const MakeLevel& make_level) {
  SeededRandom random(seed);
  int growing = 0;
  for (int i = 0; i < kTraces; ++i) {
    const traces::Shape shape = AnyShape(requests, random);
    const traces::Level level = make_level(shape, random);
    const PlateauVerdict verdict = JudgePlateau(traces::Windows(shape, level, random));
    growing += verdict.trend == MemoryTrend::kGrowing;
  }
  return static_cast<double>(growing) / kTraces;
}

TEST(MemoryPlateauTest, RaisesFewFalseAlarmsOnEveryKindOfCleanTarget) {
  double sum = 0;
  for (const Clean& clean : kCleans) {
    const double share = GrowingShare(11, 1000, clean.level);
    EXPECT_LE(share, 0.03) << clean.name;
    sum += share;
  }
  EXPECT_LE(sum / kCleans.size(), 0.01);
}

// The smallest share found of a leak above quiet, warming and stepping cleans, in grains as small
// as a page to those of allocators' pools. (Of 5 MiB in grains of 1 MiB three to five steps are
// left.)
double LeaksFound(std::int64_t requests, double kib_per_request) {
  const double total = kib_per_request * static_cast<double>(requests) / 1024;
  double fewest = 1;
  for (const std::size_t kind : {0U, 1U, 3U, 7U}) {
    for (const double grain : {0.0, 0.13, 0.25}) {
      const double found = GrowingShare(23, requests, [&](const auto& shape, auto& random) {
        return traces::Leaking(kCleans[kind].level(shape, random), total, grain);
      });
      fewest = std::min(fewest, found);
    }
  }
  return fewest;
}

TEST(MemoryPlateauTest, FindsALeakOf64KibARequest) { EXPECT_GE(LeaksFound(1000, 64), 0.95); }

TEST(MemoryPlateauTest, FindsALeakOf1KibARequest) { EXPECT_GE(LeaksFound(5000, 1), 0.95); }

TEST(MemoryPlateauTest, MeasuresTheLeakPerRequest) {
  SeededRandom random(1);
  const traces::Level leak = traces::Leaking(traces::Flat(100), 64, 0);
  const auto verdict = JudgePlateau(traces::Windows({20, 1024}, leak, random));
  EXPECT_EQ(verdict.trend, MemoryTrend::kGrowing);
  EXPECT_NEAR(verdict.bytes_per_request.value_or(0), 65536, 2500);
  EXPECT_FALSE(verdict.settled);
  EXPECT_EQ(verdict.steady_confidence, 0);
}

TEST(MemoryPlateauTest, KnowsTheLevelThatALeakStartsFrom) {
  SeededRandom random(1);
  const traces::Level leak = traces::Leaking(traces::Flat(100), 64, 0);
  const auto growing = JudgePlateau(traces::Windows({20, 1024}, leak, random));
  ASSERT_TRUE(growing.level);
  EXPECT_NEAR(growing.level->mib(), 100 + 0.1 * 64, 5);
  const auto flat = JudgePlateau(traces::Windows({20, 1024}, traces::Flat(100), random));
  ASSERT_TRUE(flat.level);
  EXPECT_NEAR(flat.level->mib(), 100, 1);
}

// What the first rows load for good is no part of what a leak may still use up.
TEST(MemoryPlateauTest, TakesTheLevelAfterTheFirstRows) {
  SeededRandom random(1);
  auto windows = traces::Windows({20, 1024}, traces::Leaking(traces::Flat(100), 64, 0), random);
  windows.front().low = MiB(20);
  const auto verdict = JudgePlateau(windows);
  ASSERT_TRUE(verdict.level);
  EXPECT_GT(*verdict.level, MiB(99));
}

TEST(MemoryPlateauTest, SaysNothingOfFewerThanTenWindowsWithRequests) {
  SeededRandom random(1);
  auto windows = traces::Windows({9, 900}, traces::Flat(100), random);
  windows.insert(windows.begin() + 4,
                 MemoryWindow{400, 0, MiB(1), MiB(1), std::chrono::seconds(2)});
  const auto verdict = JudgePlateau(windows);
  EXPECT_EQ(verdict.trend, MemoryTrend::kUnknown);
  EXPECT_FALSE(verdict.bytes_per_request);
  EXPECT_FALSE(verdict.level);
  EXPECT_FALSE(verdict.settled);
}

TEST(MemoryPlateauTest, SettlesOnceNoPeakIsNew) {
  std::vector<MemoryWindow> windows;
  for (int i = 0; i < 20; ++i) {
    windows.push_back({i * 50L, 50, MiB(200), MiB(180), std::chrono::seconds(2)});
  }
  EXPECT_TRUE(JudgePlateau(windows).settled);
  EXPECT_GT(JudgePlateau(windows).steady_confidence, 0.4);
  windows[17].peak = MiB(220);
  EXPECT_FALSE(JudgePlateau(windows).settled);
}

TEST(MemoryPlateauTest, ForecastsWhenMemoryRunsOut) {
  EXPECT_DOUBLE_EQ(HoursToOutOfMemory(1024, 10, Bytes(1024L * 10 * 3600)), 1);
  EXPECT_EQ(HoursToOutOfMemory(1024, 10, Bytes(-5)), 0);
  EXPECT_EQ(HoursToOutOfMemory(0, 10, GiB(1)), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace mlprof::server
