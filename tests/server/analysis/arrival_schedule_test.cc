#include "server/analysis/arrival_schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mlprof::server {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

struct Plan {
  double rate = 1;
  Arrivals arrivals = Arrivals::kPoisson;
  std::uint64_t seed = 1;
};

std::vector<nanoseconds> Times(const Plan& plan, std::size_t count) {
  ArrivalSchedule schedule(plan.rate, plan.arrivals, plan.seed);
  std::vector<nanoseconds> times;
  for (; times.size() < count; schedule.Advance()) times.push_back(schedule.due());
  return times;
}

TEST(ArrivalScheduleTest, SpacesConstantArrivalsEvenlyWithoutDrift) {
  const Plan plan{3.0, Arrivals::kConstant};
  const auto times = Times(plan, 3'000'001);
  EXPECT_EQ(times[0], nanoseconds(0));
  EXPECT_EQ(times[1], nanoseconds(333'333'333));
  EXPECT_EQ(times[3'000'000], std::chrono::seconds(1'000'000));
}

TEST(ArrivalScheduleTest, RepeatsRandomArrivalsOfTheSameSeedOnly) {
  const Plan plan{1000, Arrivals::kPoisson, 7};
  EXPECT_EQ(Times(plan, 100), Times(plan, 100));
  EXPECT_NE(Times(plan, 100), Times({1000, Arrivals::kPoisson, 8}, 100));
}

TEST(ArrivalScheduleTest, DrawsPoissonGapsOfTheRightMeanAndSpread) {
  constexpr std::size_t kCount = 100'000;
  const auto times = Times({1000, Arrivals::kPoisson, 1}, kCount);
  const double mean_us =
      static_cast<double>(times.back() / microseconds(1)) / static_cast<double>(kCount);
  EXPECT_NEAR(mean_us, 1000, 10);
  std::size_t short_gaps = 0;
  for (std::size_t i = 1; i < kCount; ++i) {
    ASSERT_LE(times[i - 1], times[i]);
    if (times[i] - times[i - 1] < microseconds(1000)) ++short_gaps;
  }
  EXPECT_NEAR(static_cast<double>(short_gaps) / kCount, 1 - std::exp(-1), 0.01);
}

TEST(ArrivalScheduleTest, ScattersGammaGapsAsAsked) {
  for (const double cv : {0.3, 1.0, 2.5}) {
    constexpr std::size_t kCount = 200'000;
    const auto times = Times({100, Arrivals::Gamma(cv), 5}, kCount);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 1; i < kCount; ++i) {
      const double gap = std::chrono::duration<double>(times[i] - times[i - 1]).count();
      sum += gap;
      squares += gap * gap;
    }
    const double mean = sum / (kCount - 1);
    EXPECT_NEAR(mean, 0.01, 0.0003) << cv;
    EXPECT_NEAR(std::sqrt(squares / (kCount - 1) - mean * mean) / mean, cv, 0.03 * cv);
  }
}

Arrivals Recorded(std::vector<double> seconds) {
  Arrivals arrivals = Arrivals::Trace("times:1");
  arrivals.times = std::make_shared<const ArrivalTimes>(ArrivalTimes{std::move(seconds)});
  return arrivals;
}

TEST(ArrivalScheduleTest, ComesAsRecordedStretchedToTheRate) {
  // Gaps of 1, 0 and 5 with a mean of 2 after the last: 8 s for four, at a rate of 5 0.8 s.
  const auto times = Times({5, Recorded({0, 1, 1, 6}), 3}, 9);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < times.size(); ++i) {
    gaps.push_back(std::chrono::duration<double>(times[i] - times[i - 1]).count());
  }
  const std::vector<double> first(gaps.begin(), gaps.begin() + 4);
  const std::vector<double> second(gaps.begin() + 4, gaps.end());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], second[i], 1e-6);
  std::vector<double> sorted = first;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<double> wanted = {0, 0.1, 0.2, 0.5};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(sorted[i], wanted[i], 1e-6);
}

TEST(ArrivalScheduleTest, BeginsAtOnceWhereATraceIsBusiest) {
  // A quiet hour, then four requests within 3 s: the load that is told is the one that was met.
  const Arrivals trace = Recorded({0, 3600, 3601, 3602, 3603, 5000});
  const double rate = 1 / trace.times->MeanGap();
  for (const std::uint64_t seed : {1, 2, 3}) {
    ArrivalSchedule schedule(rate, trace, seed, std::chrono::seconds(4));
    for (const int second : {0, 1, 2, 3, 1400}) {
      EXPECT_NEAR(schedule.due_seconds(), second, 1e-6);
      schedule.Advance();
    }
  }
}

}  // namespace
}  // namespace mlprof::server
