#include "server/runtime/forward/carry_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <new>

#include "common/os/unique_fd.h"

namespace mlprof::server {
namespace {

using namespace std::chrono_literals;

enum class Throws { kRead, kWrite };

// Has no memory left for one way; the other waits until the stream is closed.
class StreamWithoutMemory final : public PortStream {
 public:
  explicit StreamWithoutMemory(Throws throws) : throws_(throws) {}

  Result<std::string> Read(Deadline deadline) override {
    if (throws_ == Throws::kRead) throw std::bad_alloc();
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline.when(), [this] { return closed_; })) {
      return Fail(DeadlineExceeded("nothing came"));
    }
    return Fail(Cancelled("closed"));
  }
  Status Write(std::string_view, Deadline) override {
    if (throws_ == Throws::kWrite) throw std::bad_alloc();
    return {};
  }
  void CloseWrite() override {}
  void Close() override {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    throw std::bad_alloc();
  }

 private:
  const Throws throws_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
};

class CarryClientTest : public ::testing::TestWithParam<Throws> {};

TEST_P(CarryClientTest, EndsBothWaysWhenOneHasNoMemory) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd carried(ends[0]);
  const UniqueFd client(ends[1]);
  StreamWithoutMemory stream(GetParam());
  std::stop_source stop;
  auto carrying = std::async(std::launch::async,
                             [&] { CarryClient(carried.get(), stream, 1h, stop.get_token()); });
  // The way down may have ended both by now.
  static_cast<void>(::send(client.get(), "x", 1, MSG_NOSIGNAL));
  const bool ended = carrying.wait_for(10s) == std::future_status::ready;
  stop.request_stop();
  EXPECT_TRUE(ended);
}

INSTANTIATE_TEST_SUITE_P(EachWay, CarryClientTest,
                         ::testing::Values(Throws::kRead, Throws::kWrite));

}  // namespace
}  // namespace mlprof::server
