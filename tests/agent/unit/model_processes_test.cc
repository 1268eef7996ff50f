// On real processes of this test's own.
#include "agent/sampling/model_processes.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace mlprof::agent {
namespace {

TEST(ModelProcesses, AreThoseOfEveryThread) {
  bool listed = false;
  std::thread([&listed] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    listed = ListModelProcesses().contains(child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }).join();
  EXPECT_TRUE(listed);
}

}  // namespace
}  // namespace mlprof::agent
