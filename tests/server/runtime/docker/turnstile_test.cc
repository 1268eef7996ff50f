#include "server/runtime/turnstile.h"

#include <gtest/gtest.h>

#include <future>

namespace mlprof::server::docker {
namespace {

using namespace std::chrono_literals;

TEST(Turnstile, LetsTheNextInWhenATurnEnds) {
  Turnstile turnstile;
  auto first = turnstile.Enter(Deadline::After(10s));
  ASSERT_TRUE(first);
  auto second = std::async(std::launch::async,
                           [&] { return turnstile.Enter(Deadline::After(10s)).has_value(); });
  first->reset();
  EXPECT_TRUE(second.get());
  EXPECT_TRUE(turnstile.Enter(Deadline::After(10s)));
}

TEST(Turnstile, LetsAWaitingCallerGiveUpAtOnce) {
  Turnstile turnstile;
  const auto held = turnstile.Enter(Deadline::After(10s));
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return turnstile.Enter({Deadline::After(1h), stop.get_token()}).error().code();
  });
  stop.request_stop();
  ASSERT_EQ(waiting.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(waiting.get(), ErrorCode::kCancelled);
}

TEST(Turnstile, SaysThatNoTurnCame) {
  Turnstile turnstile;
  const auto held = turnstile.Enter(Deadline::After(10s));
  const auto late = turnstile.Enter(Deadline::After(1ms));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace mlprof::server::docker
