#include "server/app/lifetime.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "tests/fakes/refused_threads.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

void HangFor(std::chrono::seconds time) {
  std::binary_semaphore never(0);
  (void)never.try_acquire_for(time);
}

class StopLimitDeathTest : public ::testing::Test {
 protected:
  StopLimitDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopLimitDeathTest, EndsAProcessThatHangsAndNamesTheStep) {
  EXPECT_EXIT(
      {
        StopLimit limit(1s);
        limit.Enter("the queue", 1s);
        limit.Enter("requests", 1s);
        HangFor(60s);
      },
      ::testing::ExitedWithCode(1), "did not end in time.*\"step\":\"requests\"");
}

TEST_F(StopLimitDeathTest, EndsAProcessThatCanStartNoThreadAnyMore) {
  EXPECT_EXIT(
      {
        const fakes::RefusedThreads none(1000);
        const StopLimit limit(1s);
        HangFor(60s);
      },
      ::testing::KilledBySignal(SIGALRM), "");
}

TEST_F(StopLimitDeathTest, NamesAStepThatTookLongerThanPlanned) {
  EXPECT_EXIT(
      {
        {
          StopLimit limit(60s);
          limit.Enter("the queue", 0s);
          limit.Enter("requests", 60s);
        }
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "longer than planned.*\"step\":\"the queue\"");
}

TEST(StopLimit, LetsAProcessLiveThatStoppedInTime) {
  { StopLimit limit(1s); }
  HangFor(3s);
}

}  // namespace
}  // namespace mlprof::server
