#include "server/runtime/forward/forwarded_port.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <future>

#include "tests/fakes/fake_port.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

class ForwardedPortTest : public ::testing::Test {
 protected:
  ForwardedPortTest() { ports_.Listen(); }

  void Start(int port = 6000, std::chrono::milliseconds idle = 20s) {
    auto started = ForwardedPort::Start(
        std::filesystem::temp_directory_path(),
        [this, port](Deadline) { return ports_.Connect(port); }, idle);
    ASSERT_TRUE(started) << started.error().message();
    forwarded_ = *std::move(started);
  }
  UniqueFd Dialled() const {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    forwarded_->socket().string().copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::connect(fd.get(), where, sizeof address), 0);
    return fd;
  }
  // "" at its end.
  static std::string Received(const UniqueFd& fd) {
    char piece[256];
    const ssize_t n = ::recv(fd.get(), piece, sizeof piece, 0);
    return n > 0 ? std::string(piece, static_cast<std::size_t>(n)) : "";
  }
  static void Say(const UniqueFd& fd, const std::string& text) {
    EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
  }

  FakePorts ports_{{{6000, [](std::string_view heard) { return "<" + std::string(heard) + ">"; }}}};
  std::unique_ptr<ForwardedPort> forwarded_;
};

TEST_F(ForwardedPortTest, IsReachedByNobodyElse) {
  Start();
  struct stat folder {};
  ASSERT_EQ(::stat(forwarded_->socket().parent_path().c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 0777u, 0700u);
}

TEST_F(ForwardedPortTest, EachConnectionIsAStreamOfItsOwn) {
  Start();
  const UniqueFd first = Dialled();
  const UniqueFd second = Dialled();
  Say(second, "two");
  EXPECT_EQ(Received(second), "<two>");
  Say(first, "one");
  EXPECT_EQ(Received(first), "<one>");
}

TEST_F(ForwardedPortTest, CarriesTheEndOfEitherSide) {
  Start();
  const UniqueFd client = Dialled();
  Say(client, "bye");
  EXPECT_EQ(Received(client), "<bye>");
  ::shutdown(client.get(), SHUT_WR);
  EXPECT_EQ(Received(client), "");
}

TEST_F(ForwardedPortTest, ClosesWhatThePortRefusesAndSaysWhy) {
  Start(6001);
  const UniqueFd client = Dialled();
  EXPECT_EQ(Received(client), "");
  ASSERT_TRUE(forwarded_->last_failure());
  EXPECT_EQ(forwarded_->last_failure()->message(), "nothing listens on port 6001");
}

TEST_F(ForwardedPortTest, AConnectionEndsWithTheModel) {
  Start();
  const UniqueFd client = Dialled();
  Say(client, "hello");
  EXPECT_EQ(Received(client), "<hello>");
  ports_.End(Unavailable("the model ended"));
  EXPECT_EQ(Received(client), "");
}

TEST_F(ForwardedPortTest, AConnectionWithoutAByteIsEnded) {
  Start(6000, 20ms);
  EXPECT_EQ(Received(Dialled()), "");
}

TEST_F(ForwardedPortTest, EndsWithAllItsConnectionsAndLeavesNothing) {
  Start();
  const auto folder = forwarded_->socket().parent_path();
  const UniqueFd busy = Dialled();
  Say(busy, "hello");
  EXPECT_EQ(Received(busy), "<hello>");
  forwarded_.reset();
  EXPECT_EQ(Received(busy), "");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(ForwardedPortTest, NeedsAFolderAndAPathThatFits) {
  const auto code = [](const std::filesystem::path& parent) {
    return ForwardedPort::Start(
               parent, [](Deadline) { return Fail(Unavailable("never dialled")); }, 1s)
        .error()
        .code();
  };
  EXPECT_EQ(code("/nowhere/at/all"), ErrorCode::kInternal);
  const auto deep = std::filesystem::temp_directory_path() / std::string(100, 'd');
  std::filesystem::create_directories(deep);
  EXPECT_EQ(code(deep), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(std::filesystem::is_empty(deep));
  std::filesystem::remove_all(deep);
}

}  // namespace
}  // namespace mlprof::server
