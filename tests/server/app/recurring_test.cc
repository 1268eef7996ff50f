#include "server/app/recurring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace mlprof {
namespace {

TEST(Recurring, WorksAtOnceAndAgainUntilItEnds) {
  std::counting_semaphore<> worked(0);
  std::atomic<int> times = 0;
  {
    const Recurring recurring(std::chrono::milliseconds(1), [&] {
      if (++times <= 3) worked.release();
    });
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(worked.try_acquire_for(std::chrono::seconds(10)));
  }
  EXPECT_GE(times, 3);
}

TEST(Recurring, ALongPauseDoesNotHoldUpItsEnd) {
  std::binary_semaphore worked(0);
  const Recurring recurring(std::chrono::hours(1), [&] { worked.release(); });
  EXPECT_TRUE(worked.try_acquire_for(std::chrono::seconds(10)));
}

}  // namespace
}  // namespace mlprof
