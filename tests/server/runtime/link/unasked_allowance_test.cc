#include "server/runtime/unasked_allowance.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

TEST(UnaskedAllowanceTest, GrantsASecondsWorthAtOnceAndThenTheRate) {
  const Deadline::Clock::time_point began{};
  auto now = began;
  const auto clock = [&] { return now; };
  UnaskedAllowance allowance(began);
  int granted = 0;
  while (allowance.Take(clock)) ++granted;
  EXPECT_EQ(granted, 10'000);
  now += 10ms;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(allowance.Take(clock)) << i;
  EXPECT_FALSE(allowance.Take(clock));
}

TEST(UnaskedAllowanceTest, SavesNoMoreThanASecondsWorth) {
  Deadline::Clock::time_point now{};
  const auto clock = [&] { return now; };
  UnaskedAllowance allowance(now);
  while (allowance.Take(clock)) {
  }
  now += 1h;
  int granted = 0;
  while (allowance.Take(clock)) ++granted;
  EXPECT_EQ(granted, 10'000);
}

}  // namespace
}  // namespace mlprof::server
