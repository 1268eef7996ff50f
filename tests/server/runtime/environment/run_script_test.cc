#include "server/runtime/environment/run_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "common/time/deadline.h"
#include "tests/fakes/refused_processes.h"

namespace mlprof::server::environment {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kAtOnce = 1500ms;

class RunScriptTest : public ::testing::Test {
 protected:
  RunScriptTest() {
    char name[] = "/tmp/run-script-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~RunScriptTest() override { fs::remove_all(folder_); }

  Result<int> Run(const std::string& text, const Patience& patience) {
    return RunScript(
        text, "script", {folder_.string()}, [this](std::string_view said) { said_ += said; },
        patience.stop, patience.deadline);
  }

  /// Runs a script, stops it once it has made the file "begun", and says how long it went on.
  std::chrono::nanoseconds Stop(const std::string& text) {
    std::stop_source stop;
    auto run = std::async(std::launch::async, [&] {
      return Run(text, {Deadline::After(60s), stop.get_token()}).error().code();
    });
    AwaitFile("begun");
    stop.request_stop();
    const auto asked = Deadline::Clock::now();
    EXPECT_EQ(run.get(), ErrorCode::kCancelled);
    return Deadline::Clock::now() - asked;
  }

  void AwaitFile(const std::string& name) {
    const Deadline soon = Deadline::After(10s);
    while (!fs::exists(folder_ / name) && !soon.Passed()) std::this_thread::yield();
    ASSERT_TRUE(fs::exists(folder_ / name)) << name;
  }

  /// Whether the process whose number is in the file has ended, or soon does.
  bool Ends(const std::string& name) {
    std::string pid;
    std::ifstream(folder_ / name) >> pid;
    const Deadline soon = Deadline::After(5s);
    while (Runs(pid) && !soon.Passed()) std::this_thread::yield();
    return !pid.empty() && !Runs(pid);
  }

  // Nobody may be there to take note of an orphan's end: then it stays as a zombie.
  static bool Runs(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string number, name, state;
    return file >> number >> name >> state && state != "Z" && state != "X";
  }

  fs::path folder_;
  std::string said_;
};

TEST_F(RunScriptTest, GivesTheOutputAndTheStatus) {
  const auto status = Run("echo out; echo err >&2; exit 3", Deadline::After(10s));
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, 3);
  EXPECT_EQ(said_, "out\nerr\n");
}

TEST_F(RunScriptTest, EndsAStoppedScriptWithAllThatItStarted) {
  EXPECT_LT(Stop("sleep 1000 & echo $! > $1/child; touch $1/begun; wait"), kAtOnce);
  EXPECT_TRUE(Ends("child"));
}

TEST_F(RunScriptTest, EndsAStoppedScriptThatClosedItsOutput) {
  EXPECT_LT(Stop("exec > /dev/null 2>&1; touch $1/begun; sleep 1000"), kAtOnce);
}

TEST_F(RunScriptTest, EndsAStoppedScriptThatDoesNotListen) {
  EXPECT_LT(Stop("trap '' TERM; touch $1/begun; while :; do sleep 1000; done"), kAtOnce);
}

TEST_F(RunScriptTest, LetsAStoppedScriptRemoveWhatItMade) {
  Stop("trap 'rm $1/made' EXIT; trap 'exit 1' TERM; touch $1/made $1/begun; sleep 1000");
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

TEST_F(RunScriptTest, LeavesNothingBehindThatAScriptStarted) {
  const auto status = Run("sleep 1000 > /dev/null 2>&1 & echo $! > $1/child", Deadline::After(10s));
  ASSERT_TRUE(status);
  EXPECT_TRUE(Ends("child"));
}

TEST_F(RunScriptTest, EndsALateScript) {
  const auto status = Run("exec > /dev/null 2>&1; sleep 1000", Deadline::After(100ms));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kDeadlineExceeded);
}

TEST_F(RunScriptTest, TellsOfASystemThatGivesNoMoreProcesses) {
  const fakes::RefusedProcesses none;
  const auto status = Run("exit 0", Deadline::After(10s));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace mlprof::server::environment
