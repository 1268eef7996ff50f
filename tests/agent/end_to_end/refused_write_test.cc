// What the real agent tells of writes that a read-only file system refuses: only what the kernel
// said to the model, never what the model says.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::ProcessEvent;
using Kind = ProcessEvent::Kind;

namespace fs = std::filesystem;

/// A read-only file system, seen by this process and what it starts alone.
class RefusedWriteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "needs the right to mount";
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    char name[] = "/tmp/mlprof-refused.XXXXXX";
    folder_ = ::mkdtemp(name);
    fs::permissions(folder_, fs::perms(0755));
    ASSERT_EQ(::mount("none", folder_.c_str(), "tmpfs", 0, nullptr), 0);
    fs::create_directories(folder_ / "app/data");
    fs::create_directory_symlink("app", folder_ / "link");
    ASSERT_EQ(::mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  }
  void TearDown() override {
    if (folder_.empty()) return;
    ::umount2(folder_.c_str(), MNT_DETACH);
    fs::remove(folder_);
  }

  /// Runs a Python program, R the read-only folder, that is not ready within two seconds.
  void StartUnready(AgentProcess& agent, const std::string& code) {
    auto start =
        StartOfPython("import os, time\nR = '" + folder_.string() + "'\n" + code, FreePort());
    start.watch_writes = true;
    start.start_timeout = 2s;
    agent.link().Start(start);
  }

  /// What a Python program, `code` with R for the read-only folder, was refused by its end.
  std::optional<ProcessEvent> Refused(const std::string& code, bool watch = true) {
    AgentProcess agent;
    auto start = StartOfPython("import os, sys, threading\nR = '" + folder_.string() + "'\n" + code,
                               FreePort());
    start.watch_writes = watch;
    agent.link().Start(start);
    const auto end = agent.recorder().WaitEvent(Kind::kExited);
    EXPECT_TRUE(end);
    const auto& events = agent.recorder().events;
    refused_.clear();
    for (const auto& event : events) {
      if (event.kind == Kind::kWriteRefused) refused_.push_back(event.detail);
    }
    if (refused_.empty()) return std::nullopt;
    const auto& last = *std::prev(events.end(), 2);
    EXPECT_TRUE(last.kind == Kind::kWriteRefused) << "it comes before the end it explains";
    return last;
  }
  std::string RefusedPath(const std::string& code) {
    const auto refused = Refused(code);
    return refused ? refused->detail : "none";
  }

  fs::path folder_;
  std::vector<std::string> refused_;  // all that the last Refused was told, in order
};

TEST_F(RefusedWriteTest, TheKernelsRefusalIsToldWithItsPathAndFolder) {
  const auto refused = Refused("open(R + '/app/cache.db', 'w')");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->detail, folder_ / "app/cache.db");
  EXPECT_EQ(refused->folder, folder_ / "app");
}

TEST_F(RefusedWriteTest, WordsAloneAreNoRefusal) {
  EXPECT_FALSE(Refused("sys.exit(f'open {R}/app/x: Read-only file system (EROFS)')"));
  EXPECT_FALSE(
      Refused("print(open('/etc/passwd').read(1)); os.listdir(R + '/app')\n"
              "sys.exit('Read-only file system')"));
  EXPECT_FALSE(Refused("open('/no/such/folder/x', 'w')"));
}

TEST_F(RefusedWriteTest, NothingIsWatchedUnlessAsked) {
  EXPECT_FALSE(Refused("open(R + '/app/cache.db', 'w')", false));
}

TEST_F(RefusedWriteTest, RelativePathsAndLinksAreResolved) {
  const std::string data = folder_ / "app/data";
  EXPECT_EQ(RefusedPath("os.chdir(R + '/app/data'); open('x', 'w')"), data + "/x");
  EXPECT_EQ(RefusedPath("d = os.open(R + '/app', os.O_RDONLY)\nos.mkdir('data/y', dir_fd=d)"),
            data + "/y");
  EXPECT_EQ(RefusedPath("os.symlink('x', R + '/link/data/z')"), data + "/z");
  const auto folder = Refused("os.chmod(R + '/link/data', 0o777)");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->folder, data);
}

TEST_F(RefusedWriteTest, ThreadsChildrenAndProgramsThatTheModelStartsAreWatchedToo) {
  EXPECT_EQ(RefusedPath("t = threading.Thread(target=os.mkdir, args=[R + '/t'])\n"
                        "t.start(); t.join()"),
            folder_ / "t");
  EXPECT_EQ(RefusedPath("os.waitpid(os.fork() or os.mkdir(R + '/app/c') or 0, 0)"),
            folder_ / "app/c");
  EXPECT_EQ(RefusedPath("os.system('mkdir ' + R + '/app/s; echo x > ' + R + '/app/data/last')"),
            folder_ / "app/data/last");
}

TEST_F(RefusedWriteTest, RemovingWhatWasNeverThereIsNoLostWrite) {
  EXPECT_EQ(RefusedPath("try: open(R + '/app/cache.db', 'w')\n"
                        "except OSError:\n"
                        "  for remove in (os.unlink, os.rmdir):\n"
                        "    try: remove(R + '/app/data/leftover')\n"
                        "    except OSError: pass\n"),
            folder_ / "app/cache.db");
  EXPECT_EQ(RefusedPath("os.unlink(R + '/link')"), folder_ / "link");
}

TEST_F(RefusedWriteTest, TheLastFewAreToldTheLikeliestLast) {
  const auto writes = [](const std::string& names) {
    return "for name in " + names +
           ":\n"
           "  try: open(R + '/app/' + name, 'w')\n"
           "  except OSError: pass\n";
  };
  const std::string app = folder_ / "app/";
  EXPECT_TRUE(Refused(writes("'abcadef'")));
  EXPECT_EQ(refused_, (std::vector<std::string>{app + "a", app + "d", app + "e", app + "f"}));
  EXPECT_TRUE(Refused(writes("'ab'") + "os.rmdir(R + '/app/data')"));
  EXPECT_EQ(refused_, (std::vector<std::string>{app + "data", app + "a", app + "b"}));
}

// A long path takes the agent longer to read than the model to give.
TEST_F(RefusedWriteTest, AStormOfWritesHidesNothingElseFromTheAgent) {
  AgentProcess agent;
  StartUnready(agent,
               "for _ in range(4): os.fork()\n"
               "path = R + '/app' + '/.' * 1500 + '/x'\n"
               "while True:\n"
               "  try: os.mkdir(path)\n"
               "  except OSError: pass");
  EXPECT_TRUE(agent.recorder().WaitEvent(Kind::kNotReady));
}

TEST_F(RefusedWriteTest, ItIsToldOfAModelThatIsNotReadyInTime) {
  AgentProcess agent;
  StartUnready(agent,
               "try: os.mkdir(R + '/app/x')\n"
               "except OSError: time.sleep(100)");
  ASSERT_TRUE(agent.recorder().WaitEvent(Kind::kNotReady));
  EXPECT_TRUE(agent.recorder().WaitEvent(Kind::kWriteRefused));
}

TEST_F(RefusedWriteTest, AWatchedModelServesAndEndsAsAnyOther) {
  AgentProcess agent;
  auto start = StartOf({"python3", "-m", "http.server", "--bind", "127.0.0.1"}, FreePort());
  start.command.push_back(std::to_string(start.port));
  start.working_directory = folder_;
  start.watch_writes = true;
  agent.link().Start(start);
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().Stop({2s});
  const auto end = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->signal, SIGTERM);
}

}  // namespace
}  // namespace mlprof::server
