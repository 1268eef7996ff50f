#include "agent/sampling/run_queue.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace mlprof::agent {
namespace {

using namespace std::chrono_literals;

TEST(RunQueueTest, TheWaitIsTheSecondFigure) {
  EXPECT_EQ(ParseRunQueueWait("212296466 35382945 964\n"), 35382945ns);
  EXPECT_FALSE(ParseRunQueueWait(""));
  EXPECT_FALSE(ParseRunQueueWait("212296466"));
  EXPECT_FALSE(ParseRunQueueWait("1 x 2"));
  EXPECT_FALSE(ParseRunQueueWait("0 0 0\n"));
}

TEST(RunQueueTest, SaysNothingWithoutThreads) {
  EXPECT_FALSE(RunQueue([] { return std::set<pid_t>(); }).Waited());
}

// Computes for so long of its own CPU time, on core `core` alone.
void Burn(int core, std::chrono::nanoseconds time) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
  timespec used{};
  do {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  } while (std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec) < time);
}

TEST(RunQueueTest, TwoThreadsOnOneCoreWaitForEachOtherAndAreRememberedWhenTheyEnd) {
  RunQueue queue([] { return std::set<pid_t>{::getpid()}; });
  const auto before = queue.Waited();
  ASSERT_TRUE(before);
  const int core = ::sched_getcpu();
  std::atomic<bool> ended{false};
  std::thread slow([&] { Burn(core, 200ms), ended = true; });
  std::thread fast([&] { Burn(core, 100ms); });
  std::chrono::nanoseconds seen{0};
  while (!ended) seen = std::max(seen, *queue.Waited());
  slow.join();
  fast.join();
  // While both compute one of them always waits.
  EXPECT_GT(seen - *before, 50ms);
  EXPECT_GE(*queue.Waited(), seen);
}

}  // namespace
}  // namespace mlprof::agent
