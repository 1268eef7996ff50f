#include "agent/relay/cpu_attribution.h"

#include <gtest/gtest.h>

namespace mlprof::agent {
namespace {

using namespace std::chrono_literals;
using Verdict = SettleJudge::Verdict;

// Feeds a reading every millisecond until the judge has decided.
template <class Usage>
Verdict Judge(SettleJudge& judge, Usage usage) {
  Verdict verdict = Verdict::kReadAgain;
  for (int ms = 0; verdict == Verdict::kReadAgain; ++ms) {
    verdict = judge.Add(Clock::time_point(std::chrono::milliseconds(ms)), usage(ms));
  }
  return verdict;
}

TEST(SettleJudgeTest, AQuietModelSettlesAtItsLastWork) {
  SettleJudge judge;
  EXPECT_EQ(Judge(judge, [](int) { return 700us; }), Verdict::kSettled);
  EXPECT_EQ(judge.settled_at(), 700us);
}

TEST(SettleJudgeTest, WorkAfterTheLastByteBelongsToTheRow) {
  SettleJudge judge;
  const auto usage = [](int ms) { return 1000us + std::min(ms, 6) * 500us; };
  EXPECT_EQ(Judge(judge, usage), Verdict::kSettled);
  EXPECT_EQ(judge.settled_at(), 4000us);
}

TEST(SettleJudgeTest, ASpinningModelNeverSettles) {
  SettleJudge judge;
  EXPECT_EQ(Judge(judge, [](int ms) { return ms * 1000us; }), Verdict::kNever);
}

TEST(SettleJudgeTest, ACounterThatMovesOnlyAtTheTickDoesNotLookQuiet) {
  SettleJudge judge;
  EXPECT_EQ(Judge(judge, [](int ms) { return (ms / 4) * 4000us; }), Verdict::kNever);
}

}  // namespace
}  // namespace mlprof::agent
