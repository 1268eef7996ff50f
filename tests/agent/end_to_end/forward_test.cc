// The agent program as the port through which a preparing container reaches a proxy.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/os/unique_fd.h"
#include "server/runtime/unix_listener.h"
#include "tests/agent/end_to_end/agent_process.h"

namespace mlprof::server {
namespace {

// The exit status of `mlprof-agent --forward PORT SOCKET`.
int Forward(const std::string& port, const std::string& socket) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl(kAgent, "mlprof-agent", "--forward", port.c_str(), socket.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

UniqueFd ConnectToPort(int port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(fd.get(), where, sizeof address) != 0) fd.Reset();
  return fd;
}

class ForwardTest : public ::testing::Test {
 protected:
  ForwardTest() {
    // The background process becomes this one's child, so that it can be ended.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    char name[] = "/tmp/forward-test.XXXXXX";
    folder_ = ::mkdtemp(name);
    listener_ = ListenAt(folder_ / "s", 8).value();
    ::fcntl(listener_.get(), F_SETFL, 0);
  }
  ~ForwardTest() override {
    listener_.Reset();
    // Whatever of ours is left: the background process, then those of its connections.
    const std::string children = "/proc/self/task/" + std::to_string(::gettid()) + "/children";
    while (FILE* const file = std::fopen(children.c_str(), "r")) {
      int pid = 0;
      const bool found = std::fscanf(file, "%d", &pid) == 1;
      std::fclose(file);
      if (!found) break;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    std::filesystem::remove_all(folder_);
  }
  UniqueFd Accepted() { return UniqueFd(::accept(listener_.get(), nullptr, nullptr)); }

  std::filesystem::path folder_;
  UniqueFd listener_;
};

TEST_F(ForwardTest, ListensWhenItReturnsAndCarriesConnections) {
  const int port = FreePort();
  ASSERT_EQ(Forward(std::to_string(port), folder_ / "s"), 0);
  for (const std::string text : {"one", "two"}) {
    const UniqueFd client = ConnectToPort(port);
    ASSERT_TRUE(client);
    const UniqueFd controller = Accepted();
    ASSERT_EQ(::send(client.get(), text.data(), 3, 0), 3);
    char heard[4] = "";
    ASSERT_EQ(::recv(controller.get(), heard, 3, MSG_WAITALL), 3);
    EXPECT_EQ(heard, text);
    ASSERT_EQ(::send(controller.get(), "yes", 3, 0), 3);
    ASSERT_EQ(::recv(client.get(), heard, 3, MSG_WAITALL), 3);
    EXPECT_EQ(std::string(heard), "yes");
  }
}

TEST_F(ForwardTest, TellsOfAPortThatIsTakenOrNone) {
  const int port = FreePort();
  ASSERT_EQ(Forward(std::to_string(port), folder_ / "s"), 0);
  EXPECT_EQ(Forward(std::to_string(port), folder_ / "s"), 1);
  EXPECT_EQ(Forward("0", folder_ / "s"), 1);
  EXPECT_EQ(Forward("x", folder_ / "s"), 1);
}

TEST_F(ForwardTest, ClosesWhatNobodyTakes) {
  const int port = FreePort();
  ASSERT_EQ(Forward(std::to_string(port), folder_ / "gone"), 0);
  const UniqueFd client = ConnectToPort(port);
  char byte = 0;
  EXPECT_EQ(::recv(client.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace mlprof::server
