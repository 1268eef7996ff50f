#include "server/app/retention_schedule.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

using namespace std::chrono_literals;
const auto kStart = Deadline::Clock::now();

TEST(RetentionTurnsTest, BeginWhenTheServerIsReady) {
  RetentionTurns turns(kStart);
  EXPECT_FALSE(turns.Take(kStart, false));
  EXPECT_FALSE(turns.Take(kStart + 5s, false));
  EXPECT_TRUE(turns.Take(kStart + 7s, true));
}

TEST(RetentionTurnsTest, WaitNoLongerThanTenMinutesForIt) {
  RetentionTurns turns(kStart);
  EXPECT_FALSE(turns.Take(kStart + 599s, false));
  EXPECT_TRUE(turns.Take(kStart + 600s, false));
}

TEST(RetentionTurnsTest, ComeAgainEveryHourWhateverTheEngineDoes) {
  RetentionTurns turns(kStart);
  ASSERT_TRUE(turns.Take(kStart + 2s, true));
  EXPECT_FALSE(turns.Take(kStart + 4s, true));
  EXPECT_FALSE(turns.Take(kStart + 59min, true));
  EXPECT_TRUE(turns.Take(kStart + 61min, false));
}

}  // namespace
}  // namespace mlprof
