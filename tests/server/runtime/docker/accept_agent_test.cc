#include "server/runtime/docker/accept_agent.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class AcceptAgentTest : public ::testing::Test {
 protected:
  AcceptAgentTest() {
    char name[] = "/tmp/accept-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~AcceptAgentTest() override { fs::remove_all(folder_); }

  static UniqueFd Connect(const fs::path& path) {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(fd.get(), where, sizeof address) != 0) fd.Reset();
    return fd;
  }
  static Status Running() { return {}; }

  fs::path folder_;
};

TEST_F(AcceptAgentTest, LetsTheContainersProcessInAndThenNobody) {
  if (::getuid() != 0) GTEST_SKIP() << "the agent is root";
  auto socket = AgentSocket::Listen(folder_ / "s");
  ASSERT_TRUE(socket);
  const UniqueFd agent = Connect(socket->path());
  const auto accepted = socket->Accept(::getpid(), Running, {}, Deadline::After(5s));
  ASSERT_TRUE(accepted) << accepted.error().message();
  EXPECT_FALSE(fs::exists(folder_ / "s"));
  EXPECT_FALSE(Connect(folder_ / "s/agent.sock"));
}

TEST_F(AcceptAgentTest, RefusesAnotherProcess) {
  auto socket = AgentSocket::Listen(folder_ / "s");
  ASSERT_TRUE(socket);
  const UniqueFd stranger = Connect(socket->path());
  const auto accepted = socket->Accept(1, Running, {}, Deadline::After(20ms));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().code(), ErrorCode::kDeadlineExceeded);
  char byte = 0;
  EXPECT_EQ(::read(stranger.get(), &byte, 1), 0);
}

TEST_F(AcceptAgentTest, EndsTheWaitWhenStopped) {
  auto socket = AgentSocket::Listen(folder_ / "s");
  ASSERT_TRUE(socket);
  std::stop_source stop;
  stop.request_stop();
  const auto accepted = socket->Accept(1, Running, stop.get_token(), Deadline::After(5s));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().code(), ErrorCode::kCancelled);
}

TEST_F(AcceptAgentTest, FindsAPlaceForTheSocketWhereTheDataDirectoryIsTooDeep) {
  const fs::path deep = folder_ / std::string(120, 'd');
  ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  EXPECT_EQ(SocketRoot(deep, "instance").value(), folder_ / "mlprof-instance");
  EXPECT_EQ(SocketRoot(folder_, "instance").value(), folder_ / "run");
  ::unsetenv("XDG_RUNTIME_DIR");
}

}  // namespace
}  // namespace mlprof::server::docker
