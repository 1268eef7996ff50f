// The agent program as a stand-in for a model.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

agent_protocol::Start StartOfNullServer() {
  const int port = FreePort();
  return StartOf({kAgent, "--null-server", std::to_string(port)}, port);
}

TEST(NullServerTest, RespondsToEveryRowAsAModel) {
  AgentProcess agent;
  agent.link().Start(StartOfNullServer());
  ASSERT_TRUE(agent.recorder().WaitReady());
  for (std::uint64_t id = 0; id < 2000; ++id) {
    agent.link().SendRow({id, false, std::string(id % 50 * 10, 'x')});
  }
  agent.link().SendRow({2000, false, std::string(5u << 20, 'x')});
  ASSERT_TRUE(agent.recorder().WaitResponses(2001));
  for (const auto& response : agent.recorder().responses) {
    ASSERT_TRUE(response.Succeeded()) << Name(response.failure);
    ASSERT_EQ(response.body_bytes, 4u);
  }
}

int ExitStatusOf(const char* option, const std::string& value) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(kAgent, "mlprof-agent", option, value.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(NullServerTest, RefusesWhatIsNoPort) {
  for (const char* port : {"", "x", "0", "65536", "80x", "-1"}) {
    EXPECT_EQ(ExitStatusOf("--null-server", port), 1) << port;
  }
}

TEST(AgentStartTest, FoldersWhoseCacheCannotBeDroppedHinderNoStart) {
  AgentProcess agent;
  auto start = StartOfNullServer();
  start.drop_cache = {std::string(MLPROF_SOURCE_DIR) + "/tests", "/no/such/folder", "/dev/null", "",
                      "/proc"};
  agent.link().Start(start);
  ASSERT_TRUE(agent.recorder().WaitReady());
}

}  // namespace
}  // namespace mlprof::server
