#include "agent/sampling/sample_pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::agent {
namespace {

using namespace std::chrono_literals;

// A container whose clock, counters and memory the test moves.
class SamplePaceTest : public ::testing::Test {
 protected:
  SamplePaceTest() { pace_.Begin(first_, 10ms); }

  // Looks when it is time, while the model uses `share` of a core. Gives the times between.
  std::vector<std::chrono::nanoseconds> Look(int times, double share) {
    std::vector<std::chrono::nanoseconds> gaps;
    for (int i = 0; i < times; ++i) {
      const auto next = pace_.NextAfter(now_);
      gaps.push_back(next - now_);
      state_.cpu_time += std::chrono::nanoseconds(
          static_cast<std::int64_t>(share * static_cast<double>((next - now_).count())));
      now_ = next;
      pace_.Saw(state_, now_);
    }
    return gaps;
  }

  SamplePace pace_;
  SampleState state_;
  const Clock::time_point first_{1h};
  Clock::time_point now_ = first_;
};

TEST_F(SamplePaceTest, LooksAtTheIntervalAskedForWhileTheModelWorks) {
  pace_.BeginServing();
  for (const auto gap : Look(100, 0.05)) EXPECT_EQ(gap, 10ms);
}

TEST_F(SamplePaceTest, LooksTenTimesASecondOnceNothingHasMovedForATenthOfASecond) {
  pace_.BeginServing();
  const auto gaps = Look(14, 0.001);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(gaps[i], 10ms) << i;
  for (std::size_t i = 10; i < gaps.size(); ++i) EXPECT_EQ(gaps[i], 100ms) << i;
}

TEST_F(SamplePaceTest, ARowBringsTheIntervalBackWithinOneOfIt) {
  pace_.BeginServing();
  Look(12, 0);
  const auto row = now_ + 33ms;
  pace_.Stir(row);
  EXPECT_EQ(pace_.NextAfter(row), now_ + 40ms);
  now_ = now_ + 40ms;
  pace_.Saw(state_, now_);
  EXPECT_EQ(Look(1, 0).front(), 10ms);
}

TEST_F(SamplePaceTest, WorkThatNoRowAskedForBringsItBackToo) {
  pace_.BeginServing();
  Look(12, 0);
  EXPECT_EQ(Look(2, 0.5), (std::vector<std::chrono::nanoseconds>{100ms, 10ms}));
}

TEST_F(SamplePaceTest, SoDoesMemoryThatMoves) {
  pace_.BeginServing();
  Look(12, 0);
  state_.usage = MiB(1);
  EXPECT_EQ(Look(2, 0), (std::vector<std::chrono::nanoseconds>{100ms, 10ms}));
}

TEST_F(SamplePaceTest, AStartIsLookedAtAsOftenAsWasAsked) {
  for (const auto gap : Look(50, 0)) EXPECT_EQ(gap, 10ms);
}

TEST_F(SamplePaceTest, ALateLookDoesNotMoveTheNextAndWhatWasMissedIsLeftOut) {
  EXPECT_EQ(pace_.NextAfter(first_ + 10ms), first_ + 20ms);
  EXPECT_EQ(pace_.NextAfter(first_ + 57ms), first_ + 60ms);
}

TEST_F(SamplePaceTest, AnIntervalLongerThanTheCalmOneStays) {
  pace_.Begin(first_, 300ms);
  pace_.BeginServing();
  for (const auto gap : Look(5, 0)) EXPECT_EQ(gap, 300ms);
}

}  // namespace
}  // namespace mlprof::agent
