#include "server/analysis/in_flight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "server/analysis/arrival_schedule.h"

namespace mlprof::server {
namespace {

// By simulation: each request stays `seconds_each`.
int Simulated(double rate, const Arrivals& arrivals, double seconds_each) {
  constexpr int kCount = 1'000'000;
  ArrivalSchedule schedule(rate, arrivals, 3);
  std::deque<double> inside;
  std::vector<int> met;
  for (int i = 0; i < kCount; ++i, schedule.Advance()) {
    const double now = schedule.due_seconds();
    while (!inside.empty() && inside.front() + seconds_each <= now) inside.pop_front();
    inside.push_back(now);
    met.push_back(static_cast<int>(inside.size()));
  }
  const auto rank = met.begin() + kCount - kCount / 10'000;
  std::nth_element(met.begin(), rank, met.end());
  return *rank;
}

TEST(InFlightTest, AgreesWithASimulationOfRandomArrivals) {
  for (const Arrivals& arrivals : {Arrivals::kPoisson, Arrivals::Gamma(0.5), Arrivals::Gamma(2)}) {
    for (const double latency : {0.01, 0.1, 1.0}) {
      EXPECT_NEAR(InFlightAtMost(20, arrivals, latency), Simulated(20, arrivals, latency), 1)
          << arrivals.cv << " " << latency;
    }
  }
}

// Poisson tables: with a mean of 2, 99.976% of the counts are 8 or less, and 99.995% 9 or less.
TEST(InFlightTest, CountsTheArrivalItself) {
  EXPECT_EQ(InFlightAtMost(20, Arrivals::kPoisson, 0.1), 10);
}

TEST(InFlightTest, HasTheBurstsOfScatteredGapsAndNoneOfEvenOnes) {
  EXPECT_GT(InFlightAtMost(20, Arrivals::Gamma(3), 0.1),
            InFlightAtMost(20, Arrivals::kPoisson, 0.1));
  EXPECT_EQ(InFlightAtMost(20, Arrivals::kConstant, 0.1), 2);
  EXPECT_EQ(InFlightAtMost(20, Arrivals::kConstant, 0.02), 1);
}

TEST(InFlightTest, IsOneWhereRequestsHardlyStayAndBoundedWhereTheyNeverLeave) {
  EXPECT_EQ(InFlightAtMost(10, Arrivals::kPoisson, 0), 1);
  EXPECT_EQ(InFlightAtMost(1e6, Arrivals::kPoisson, 1000), kMostRequestsInFlight);
  EXPECT_EQ(InFlightAtMost(1000, Arrivals::Gamma(10), 1), kMostRequestsInFlight);
}

TEST(InFlightTest, CountsWhatATraceHasAtOnce) {
  // Eight at one moment, then one a second.
  ArrivalTimes bursts;
  for (int i = 0; i < 8; ++i) bursts.seconds.push_back(10);
  for (int i = 0; i < 92; ++i) bursts.seconds.push_back(11 + i);
  bursts.seconds.front() = 0;
  Arrivals arrivals = Arrivals::Trace("times:1");
  arrivals.times = std::make_shared<const ArrivalTimes>(bursts);
  const double rate = 1 / bursts.MeanGap();
  EXPECT_EQ(InFlightAtMost(rate, arrivals, 0.5), 7);
  EXPECT_EQ(InFlightAtMost(rate, arrivals, 1.5), 8);
  // At twice the rate the same requests stay for as many arrivals in half the time.
  EXPECT_EQ(InFlightAtMost(2 * rate, arrivals, 0.75), 8);
}

}  // namespace
}  // namespace mlprof::server
