#include "common/os/start_thread.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/fakes/refused_threads.h"

namespace mlprof {
namespace {

TEST(StartThread, RunsTheWorkWithTheThreadsToken) {
  std::atomic<bool> stopped = false;
  {
    const auto thread = StartThread("test", [&](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
    });
    ASSERT_TRUE(thread);
  }
  EXPECT_TRUE(stopped);
}

TEST(StartThread, AThreadThatCannotBeMadeIsAnError) {
  const fakes::RefusedThreads refused(1);
  const auto thread = StartThread("test", [](const std::stop_token&) { FAIL(); });
  ASSERT_FALSE(thread);
  EXPECT_EQ(thread.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_NE(thread.error().message().find("'test'"), std::string::npos);
}

TEST(StartThread, WhatIsThrownEndsThatThreadAlone) {
  auto thread = StartThread(
      "test", [](const std::stop_token&) { throw std::runtime_error("a model's odd response"); });
  ASSERT_TRUE(thread);
  thread->join();
}

}  // namespace
}  // namespace mlprof
