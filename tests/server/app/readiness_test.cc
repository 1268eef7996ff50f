#include "server/app/readiness.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

constexpr Readiness::Timing kQuick{.pause = 1ms, .limit = 60s, .kept = 60s};

// An engine that does not answer until its caller gives up.
Status Hang(const Patience& patience) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_until(lock, patience.stop, patience.deadline.when(), [] { return false; });
  return Fail(DeadlineExceeded("the engine hangs"));
}

bool Await(const std::function<bool()>& condition) {
  const Deadline soon = Deadline::After(10s);
  while (!condition() && !soon.Passed()) std::this_thread::yield();
  return condition();
}

TEST(Readiness, SaysThatNobodyWasAskedYet) {
  Readiness readiness(Hang, {.pause = 1ms, .limit = 60s, .kept = 60s});
  ASSERT_TRUE(readiness.Start());
  const Status newest = readiness.Newest();
  ASSERT_FALSE(newest);
  EXPECT_EQ(newest.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(newest.error().message().find("not been asked yet"), std::string::npos);
}

TEST(Readiness, TellsTheNewestOutcome) {
  std::atomic<bool> well = false;
  Readiness readiness(
      [&](const Patience&) -> Status {
        if (well) return {};
        return Fail(Unavailable("no daemon"));
      },
      kQuick);
  ASSERT_TRUE(readiness.Start());
  EXPECT_TRUE(Await([&] {
    const Status newest = readiness.Newest();
    return !newest && newest.error().message() == "no daemon";
  }));
  well = true;
  EXPECT_TRUE(Await([&] { return readiness.Newest().has_value(); }));
  well = false;
  EXPECT_TRUE(Await([&] { return !readiness.Newest().has_value(); }));
}

TEST(Readiness, NamesTheCauseWhileTheEngineHangs) {
  Readiness readiness(Hang, {.pause = 1ms, .limit = 5ms, .kept = 60s});
  ASSERT_TRUE(readiness.Start());
  EXPECT_TRUE(Await([&] {
    const Status newest = readiness.Newest();
    return !newest && newest.error().message() == "the engine hangs";
  }));
}

TEST(Readiness, AsksOnceForManyWhoWantToKnow) {
  std::atomic<int> asked = 0;
  Readiness readiness(
      [&](const Patience&) -> Status {
        ++asked;
        return {};
      },
      {.pause = 1h, .limit = 1s, .kept = 1h});
  ASSERT_TRUE(readiness.Start());
  EXPECT_TRUE(Await([&] { return readiness.Newest().has_value(); }));
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(readiness.Newest());
  EXPECT_EQ(asked, 1);
}

TEST(Readiness, TrustsNoOldOutcome) {
  Readiness readiness([](const Patience&) -> Status { return {}; },
                      {.pause = 1h, .limit = 1s, .kept = 0ns});
  ASSERT_TRUE(readiness.Start());
  EXPECT_TRUE(Await([&] {
    const Status newest = readiness.Newest();
    return !newest && newest.error().message().find("for a while") != std::string::npos;
  }));
}

TEST(Readiness, EndsWhileTheEngineHangs) {
  Readiness readiness(Hang, kQuick);
  ASSERT_TRUE(readiness.Start());
  const auto began = Deadline::Clock::now();
  readiness.Stop();
  EXPECT_LT(Deadline::Clock::now() - began, 5s);
}

TEST(Readiness, OutlivesAProbeThatThrows) {
  std::atomic<bool> thrown = false;
  Readiness readiness(
      [&](const Patience&) -> Status {
        if (!thrown.exchange(true)) throw std::bad_alloc();
        return {};
      },
      kQuick);
  ASSERT_TRUE(readiness.Start());
  EXPECT_TRUE(Await([&] { return readiness.Newest().has_value(); }));
}

}  // namespace
}  // namespace mlprof::server
