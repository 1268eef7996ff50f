#include "common/log/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace mlprof {
namespace {

// To be run in a process of its own, whose stderr becomes a pipe that nobody reads.
[[noreturn]] void LogMoreThanAPipeTakes() {
  int ends[2] = {-1, -1};
  alarm(20);
  if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0 || !StartLogThread()) _exit(2);
  const std::string filler(1000, 'x');
  for (int i = 0; i < 5000; ++i) LogInfo("told", {{"filler", filler}});
  _exit(FlushLog(std::chrono::milliseconds(1)) ? 3 : 0);
}

TEST(LogDeathTest, HoldsNobodyUpWhenStderrIsNotRead) {
  EXPECT_EXIT(LogMoreThanAPipeTakes(), ::testing::ExitedWithCode(0), "");
}

// To be run in a process of its own, which ends as soon as it may.
void LogALot() {
  if (!StartLogThread()) _exit(2);
  for (int i = 0; i < 1000; ++i) LogInfo("told");
  LogInfo("the last");
}

TEST(LogDeathTest, LosesNothingAtAnOrderlyEnd) {
  EXPECT_EXIT((LogALot(), _exit(FlushLog() ? 0 : 3)), ::testing::ExitedWithCode(0), "\"the last\"");
}

TEST(LogDeathTest, LosesNothingWhereAnExceptionEndsTheProcess) {
  EXPECT_EXIT((LogALot(), std::terminate()), ::testing::KilledBySignal(SIGABRT), "\"the last\"");
}

}  // namespace
}  // namespace mlprof
