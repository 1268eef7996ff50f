#include "server/profiling/queue/profile_queue.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/fakes/refused_threads.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

TEST(ProfileQueueTest, ACancelThatWaitsKeepsNobodyElse) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  std::promise<void> preparing;
  std::promise<void> may_stop;
  const auto stopping = may_stop.get_future().share();
  bench.runtime.on_prepare = [&](const std::stop_token& stop) {
    const std::stop_callback slow(stop, [&] { stopping.wait(); });
    preparing.set_value();
    bench.AwaitUntil([&] { return stop.stop_requested(); });
  };
  ASSERT_TRUE(bench.service().Create("default", bench.Request("a", kBudget), {}).has_value());
  ASSERT_TRUE(bench.service().Create("default", bench.Request("b", kBudget), {}).has_value());
  preparing.get_future().wait();
  auto first = std::async([&] { return bench.service().Cancel("default", "a").has_value(); });
  auto second = std::async([&] { return bench.service().Cancel("default", "b").has_value(); });
  EXPECT_EQ(second.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  may_stop.set_value();
  EXPECT_TRUE(first.get() && second.get());
  EXPECT_EQ(bench.AwaitEnd("a").state, ProfileState::kCanceled);
}

TEST(ProfileQueueTest, AnExceptionFailsOneProfileAndTheQueueLivesOn) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  bench.runtime.ThrowInNextPrepare();
  ASSERT_TRUE(bench.service().Create("default", bench.Request("a", kBudget), {}).has_value());
  ASSERT_TRUE(bench.service().Create("default", bench.Request("b", kBudget), {}).has_value());
  const Profile failed = bench.AwaitEnd("a");
  ASSERT_EQ(failed.state, ProfileState::kFailed);
  EXPECT_EQ(failed.error->code, "InternalError");
  EXPECT_NE(failed.error->message.find("bad_alloc"), std::string::npos);
  EXPECT_EQ(bench.AwaitEnd("b").state, ProfileState::kSucceeded);
}

TEST(ProfileQueueTest, SaysThatItsThreadCannotBeMade) {
  ProfilingBench bench;
  bench.queue().Stop();
  const fakes::RefusedThreads refused(1);
  const Status started = bench.queue().Start(InterruptedPolicy::kRequeue);
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code(), ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace mlprof::server
