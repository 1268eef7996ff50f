#include "server/analysis/queue_memory.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

Objective Rate(double requests_per_second, Arrivals arrivals = Arrivals::kPoisson) {
  Objective objective;
  objective.requests_per_second = requests_per_second;
  objective.arrivals = std::move(arrivals);
  return objective;
}

// All alike, computing all the time.
RowTimes Rows(double each) { return {each, each * each, each}; }

TEST(QueueMemoryTest, GrowsWithTheRowsAndFarMoreWithHowFullTheServerIs) {
  EXPECT_NEAR(*QueueMemorySeconds(Rate(50), Rows(0.01), Cores(1.0)), 0.04, 1e-9);
  EXPECT_NEAR(*QueueMemorySeconds(Rate(90), Rows(0.01), Cores(1.0)), 1.8, 1e-9);
  EXPECT_NEAR(*QueueMemorySeconds(Rate(5), Rows(0.1), Cores(1.0)), 0.4, 1e-9);
}

TEST(QueueMemoryTest, GrowsWithRowsThatDifferAndArrivalsThatCrowd) {
  // Half of the rows take nothing.
  EXPECT_NEAR(*QueueMemorySeconds(Rate(50), {0.01, 2e-4, 0.01}, Cores(1.0)), 0.08, 1e-9);
  EXPECT_NEAR(*QueueMemorySeconds(Rate(50, Arrivals::Gamma(2)), Rows(0.01), Cores(1.0)), 0.16,
              1e-9);
  EXPECT_NEAR(*QueueMemorySeconds(Rate(50, Arrivals::kConstant), Rows(0.01), Cores(1.0)), 0, 1e-9);
}

TEST(QueueMemoryTest, LessCpuMakesRowsLongerByWhatTheyCompute) {
  EXPECT_NEAR(*QueueMemorySeconds(Rate(25), Rows(0.01), Cores(0.5)),
              *QueueMemorySeconds(Rate(25), Rows(0.02), Cores(1.0)), 1e-9);
  // 9 of 10 ms are waited: with half a core a row takes 11.
  EXPECT_NEAR(*QueueMemorySeconds(Rate(25), {0.01, 1e-4, 0.001}, Cores(0.5)),
              *QueueMemorySeconds(Rate(25), Rows(0.011), Cores(1.0)), 1e-9);
  // On four cores a row of 40 ms of CPU takes 10 ms, and 20 on two.
  EXPECT_NEAR(*QueueMemorySeconds(Rate(25), {0.01, 1e-4, 0.04}, Cores(2.0)),
              *QueueMemorySeconds(Rate(25), Rows(0.02), Cores(1.0)), 1e-9);
}

TEST(QueueMemoryTest, IsNotKnownOfWhatOneRowAtATimeCannotServe) {
  EXPECT_FALSE(QueueMemorySeconds(Rate(100), Rows(0.01), Cores(1.0)));
  EXPECT_FALSE(QueueMemorySeconds(Rate(50), Rows(0.01), Cores(0.5)));
}

TEST(QueueMemoryTest, IsNotKnownWithoutARateRowsOrWaysOfArriving) {
  EXPECT_FALSE(QueueMemorySeconds({}, Rows(0.01), Cores(1.0)));
  EXPECT_FALSE(QueueMemorySeconds(Rate(50), {}, Cores(1.0)));
  EXPECT_FALSE(QueueMemorySeconds(Rate(50), {0.001, 1e-6, 0}, Cores(0.1))) << "it may all compute";
  EXPECT_FALSE(QueueMemorySeconds(Rate(50, Arrivals::Trace("t")), Rows(0.01), Cores(1.0)));
}

}  // namespace
}  // namespace mlprof::server
