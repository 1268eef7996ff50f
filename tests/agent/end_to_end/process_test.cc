// The model's life under the real agent: start, failure to start, crash, stop.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;
using agent_protocol::ProcessEvent;
using Kind = ProcessEvent::Kind;

std::string WhyNotStarted(const agent_protocol::Start& start) {
  AgentProcess agent;
  agent.link().Start(start);
  const auto event = agent.recorder().WaitEvent(Kind::kStartFailed);
  return event ? event->detail : "it started";
}

class ScratchFile {
 public:
  ScratchFile(const std::string& text, std::filesystem::perms perms) {
    path_ = (std::filesystem::temp_directory_path() / "mlprof-agent-XXXXXX").string();
    ::close(::mkstemp(path_.data()));
    std::ofstream(path_) << text;
    std::filesystem::permissions(path_, perms);
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(AgentStartTest, AFailureIsToldInWords) {
  const int port = FreePort();
  EXPECT_NE(WhyNotStarted(StartOf({"no-such-program"}, port)).find("is not in the PATH"),
            std::string::npos);
  EXPECT_NE(WhyNotStarted(StartOf({"/no/such/program"}, port)).find("No such file"),
            std::string::npos);
  EXPECT_NE(WhyNotStarted(StartOf({"/tmp"}, port)).find("is a directory"), std::string::npos);
  const auto all = std::filesystem::perms::all;
  const ScratchFile script("#!/no/interpreter -x\n", all);
  EXPECT_NE(WhyNotStarted(StartOf({script.path()}, port)).find("interpreter /no/interpreter"),
            std::string::npos);
  const ScratchFile data("just text\n", all);
  EXPECT_NE(WhyNotStarted(StartOf({data.path()}, port)).find("neither a program"),
            std::string::npos);
  const ScratchFile plain("#!/bin/sh\n", std::filesystem::perms::owner_read);
  EXPECT_NE(WhyNotStarted(StartOf({plain.path()}, port)).find("is not executable"),
            std::string::npos);
  auto start = StartOf({"/bin/true"}, port);
  start.working_directory = "/no/such/folder";
  EXPECT_NE(WhyNotStarted(start).find("working directory /no/such/folder"), std::string::npos);
  start = StartOf({"/bin/true"}, port);
  start.user = "no-such-user";
  EXPECT_NE(WhyNotStarted(start).find("no-such-user"), std::string::npos);
  start = StartOf({"/bin/true"}, port);
  start.stop_signal = "SIGNOTHING";
  EXPECT_NE(WhyNotStarted(start).find("SIGNOTHING"), std::string::npos);
}

// A container's score is the agent's too: with the same one the kernel may take the agent first.
TEST(AgentStartTest, TheModelIsTakenBeforeTheAgentWhenMemoryRunsOut) {
  const ScratchFile score("#!/bin/sh\nexit $(($(cat /proc/self/oom_score_adj) == 1000 ? 3 : 4))\n",
                          std::filesystem::perms::all);
  AgentProcess agent;
  agent.link().Start(StartOf({score.path()}, FreePort()));
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->exit_code, 3);
}

TEST(AgentStartTest, RootBecomesNobodyUnlessTheUserChoseRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::string check = "test \"$(id -u):$(id -g):$HOME\" = 65534:65534:/tmp && exit 3; exit 4";
  auto start = StartOf({"sh", "-c", check}, FreePort());
  start.run_as_root = false;
  AgentProcess agent;
  agent.link().Start(start);
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->exit_code, 3);
}

TEST(AgentStartTest, TheModelInheritsNoDescriptorAndNoBlockedSignal) {
  const std::string check =
      "import os,signal,sys\n"
      "fds=[f for f in os.listdir('/proc/self/fd') if int(f)>2]\n"
      "sys.exit(3 if len(fds)<=1 and not signal.pthread_sigmask(signal.SIG_BLOCK,[]) and "
      "os.getsid(0)==os.getpid() else 4)";
  AgentProcess agent;
  agent.link().Start(StartOf({"python3", "-S", "-c", check}, FreePort()));
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->exit_code, 3);
}

TEST(AgentStartTest, AModelThatMakesTheAgentItsTracerGoesOn) {
  const std::string traced =
      "import ctypes,os,signal,sys\n"
      "signal.signal(signal.SIGUSR1, lambda *_: sys.exit(3))\n"
      "ctypes.CDLL(None).ptrace(0, 0, 0, 0)\n"
      "os.kill(os.getpid(), signal.SIGUSR1)\n"
      "signal.pause()";
  AgentProcess agent;
  agent.link().Start(StartOfPython(traced, FreePort()));
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->exit_code, 3);
}

TEST(AgentStartTest, TheModelKeepsTheSoftLimitOfDescriptors) {
  const SoftDescriptorLimit few(256);
  AgentProcess agent;
  agent.link().Start(
      StartOf({"sh", "-c", "exit $(( $(ulimit -S -n) == 256 ? 3 : 4 ))"}, FreePort()));
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->exit_code, 3);
}

TEST(AgentStartTest, AModelThatNeverRespondsIsNotReady) {
  auto start = StartOf({"sleep", "100"}, FreePort());
  start.start_timeout = 100ms;
  AgentProcess agent;
  agent.link().Start(start);
  const auto event = agent.recorder().WaitEvent(Kind::kNotReady);
  ASSERT_TRUE(event);
  EXPECT_NE(event->detail.find("nothing listens there"), std::string::npos);
}

TEST(AgentStartTest, AReadinessPathMustSucceed) {
  auto start = StartOf({"python3", "-m", "http.server", "--bind", "127.0.0.1"}, FreePort());
  start.command.push_back(std::to_string(start.port));
  start.working_directory = MLPROF_SOURCE_DIR;
  start.readiness_path = "/no-such-file";
  start.start_timeout = 3s;
  AgentProcess agent;
  agent.link().Start(start);
  const auto event = agent.recorder().WaitEvent(Kind::kNotReady);
  ASSERT_TRUE(event);
  EXPECT_NE(event->detail.find("HTTP 404"), std::string::npos) << event->detail;
}

TEST(AgentWatchTest, TheCommandsEndIsTold) {
  AgentProcess agent;
  agent.link().Start(StartOf({"sh", "-c", "kill -SEGV $$"}, FreePort()));
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->signal, SIGSEGV);
  EXPECT_EQ(event->detail, "sh") << "its name, read before it was reaped";
  EXPECT_EQ(agent.recorder().events.front().kind, Kind::kStarted);
}

TEST(AgentWatchTest, ARowInFlightFailsWhenTheModelDies) {
  constexpr const char* kDiesOnPost = R"(
import os,sys,socket
s=socket.socket(); s.bind(('127.0.0.1',int(sys.argv[1]))); s.listen(16)
while True:
  c,_=s.accept()
  if c.recv(65536).startswith(b'POST'): os.kill(os.getpid(),9)
  c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'); c.close()
)";
  AgentProcess agent;
  agent.link().Start(StartOfPython(kDiesOnPost, FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({1, false, "x"});
  ASSERT_TRUE(agent.recorder().WaitResponses(1));
  EXPECT_EQ(agent.recorder().responses[0].failure, agent_protocol::RowFailure::kReset);
  const auto event = agent.recorder().WaitEvent(Kind::kExited);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->signal, SIGKILL);
  agent.link().SendRow({2, false, "x"});
  ASSERT_TRUE(agent.recorder().WaitResponses(2));
  EXPECT_EQ(agent.recorder().responses[1].failure, agent_protocol::RowFailure::kConnect);
}

TEST(AgentWatchTest, AWorkerThatItsMasterReapsInSilenceIsSeen) {
  // A master that forks a worker, serves itself, and on POST kills and reaps the worker.
  constexpr const char* kMaster = R"(
import os,sys,socket,time
w=os.fork()
if w==0: time.sleep(1000)
s=socket.socket(); s.bind(('127.0.0.1',int(sys.argv[1]))); s.listen(16)
while True:
  c,_=s.accept()
  if c.recv(65536).startswith(b'POST'): os.kill(w,9); os.waitpid(w,0)
  c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'); c.close()
)";
  AgentProcess agent;
  agent.link().Start(StartOfPython(kMaster, FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  agent.link().SendRow({1, false, "x"});
  const auto event = agent.recorder().WaitEvent(Kind::kChildDied);
  ASSERT_TRUE(event);
  EXPECT_GT(event->pid, 0);
}

TEST(AgentWatchTest, SamplesComeAtTheirRate) {
  AgentProcess agent;
  auto start = StartOfStaticServer(FreePort());
  start.sample_interval = 5ms;
  agent.link().Start(start);
  ASSERT_TRUE(agent.recorder().Wait([&] { return agent.recorder().samples.size() >= 20; }));
  agent.link().Listen(nullptr);
  const auto& samples = agent.recorder().samples;
  EXPECT_GE(samples.back().at - samples.front().at, 90ms);
  EXPECT_GT(samples.back().agent_memory, Bytes(0));
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(samples.back().agent_memory, MiB(6));
#endif
}

TEST(AgentStopTest, TheStopSignalEndsAPoliteModelEarly) {
  AgentProcess agent;
  agent.link().Start(StartOfStaticServer(FreePort()));
  ASSERT_TRUE(agent.recorder().WaitReady());
  const auto begin = Deadline::Clock::now();
  agent.link().Stop({10s});
  EXPECT_TRUE(agent.recorder().WaitClosed());
  EXPECT_LT(Deadline::Clock::now() - begin, 5s);
  EXPECT_EQ(agent.Close(), 0);
}

TEST(AgentStopTest, AStubbornModelIsKilledAfterTheGrace) {
  AgentProcess agent;
  auto start = StartOf({"sh", "-c", "trap '' TERM; while :; do sleep 1; done"}, FreePort());
  agent.link().Start(start);
  const auto started = agent.recorder().WaitEvent(Kind::kStarted);
  ASSERT_TRUE(started);
  agent.link().Stop({50ms});
  EXPECT_TRUE(agent.recorder().WaitClosed());
  EXPECT_EQ(agent.Close(), 0);
  EXPECT_NE(::kill(static_cast<pid_t>(started->pid), 0), 0);
}

TEST(AgentStopTest, NothingOutlivesTheControllersConnection) {
  AgentProcess agent;
  agent.link().Start(StartOf({"sh", "-c", "setsid sleep 1000 & sleep 1000"}, FreePort()));
  const auto started = agent.recorder().WaitEvent(Kind::kStarted);
  ASSERT_TRUE(started);
  EXPECT_EQ(agent.Close(), 0);
  EXPECT_NE(::kill(static_cast<pid_t>(started->pid), 0), 0);
}

}  // namespace
}  // namespace mlprof::server
