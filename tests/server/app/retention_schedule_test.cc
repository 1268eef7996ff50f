#include "server/app/retention_schedule.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
const auto kStart = Deadline::Clock::now();

TEST(RetentionTurnsTest, BeginWhenTheServerIsReady) {
  RetentionTurns turns(kStart);
  EXPECT_FALSE(turns.Take(kStart, false, false));
  EXPECT_FALSE(turns.Take(kStart + 5s, false, false));
  EXPECT_TRUE(turns.Take(kStart + 7s, true, false));
}

TEST(RetentionTurnsTest, WaitNoLongerThanTenMinutesForIt) {
  RetentionTurns turns(kStart);
  EXPECT_FALSE(turns.Take(kStart + 599s, false, false));
  EXPECT_TRUE(turns.Take(kStart + 600s, false, false));
}

TEST(RetentionTurnsTest, ComeAgainEveryHourWhateverTheEngineDoes) {
  RetentionTurns turns(kStart);
  ASSERT_TRUE(turns.Take(kStart + 2s, true, false));
  EXPECT_FALSE(turns.Take(kStart + 4s, true, false));
  EXPECT_FALSE(turns.Take(kStart + 59min, true, false));
  EXPECT_TRUE(turns.Take(kStart + 61min, false, false));
}

TEST(RetentionTurnsTest, AreNotTakenWhileAProfileIsMeasured) {
  RetentionTurns turns(kStart);
  EXPECT_FALSE(turns.Take(kStart + 2s, true, true));
  EXPECT_TRUE(turns.Take(kStart + 4s, true, false));
  EXPECT_FALSE(turns.Take(kStart + 2h, true, true));
  EXPECT_TRUE(turns.Take(kStart + 3h, true, false));
}

TEST(RetentionTurnsTest, AreTakenOnceADayOnAServerThatIsNeverIdle) {
  RetentionTurns turns(kStart);
  EXPECT_FALSE(turns.Take(kStart + 24h - 1s, true, true));
  EXPECT_TRUE(turns.Take(kStart + 24h, true, true));
}

}  // namespace
}  // namespace mlprof::server
