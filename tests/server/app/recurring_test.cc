#include "server/app/recurring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <stdexcept>

#include "tests/fakes/refused_threads.h"

namespace mlprof::server {
namespace {

TEST(Recurring, WorksAtOnceAndAgainUntilItEndsWhateverATurnThrows) {
  std::counting_semaphore<> worked(0);
  std::atomic<int> times = 0;
  {
    const auto recurring = Recurring::Start("test", std::chrono::milliseconds(1), [&] {
      if (++times <= 3) worked.release();
      throw std::runtime_error("a bad turn");
    });
    ASSERT_TRUE(recurring);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(worked.try_acquire_for(std::chrono::seconds(10)));
  }
  EXPECT_GE(times, 3);
}

TEST(Recurring, ALongPauseDoesNotHoldUpItsEnd) {
  std::binary_semaphore worked(0);
  const auto recurring = Recurring::Start("test", std::chrono::hours(1), [&] { worked.release(); });
  ASSERT_TRUE(recurring);
  EXPECT_TRUE(worked.try_acquire_for(std::chrono::seconds(10)));
}

TEST(Recurring, SaysThatThereIsNoThreadForIt) {
  const fakes::RefusedThreads refused(1);
  const auto recurring = Recurring::Start("test", std::chrono::hours(1), [] { FAIL(); });
  ASSERT_FALSE(recurring);
  EXPECT_EQ(recurring.error().code(), ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace mlprof::server
