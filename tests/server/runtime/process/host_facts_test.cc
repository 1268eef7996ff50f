#include "server/runtime/process/host_facts.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/os/unique_fd.h"
#include "server/runtime/process/free_port.h"
#include "server/runtime/process/sandbox/sandbox_process.h"

namespace mlprof::server::process {
namespace {

TEST(HostFactsHere, TakeTheMachinesMemoryFromTheKernel) {
  EXPECT_EQ(TotalMemoryIn("MemTotal:       24600000 kB\nMemFree: 1 kB\n"), KiB(24600000));
  EXPECT_EQ(TotalMemoryIn(""), Bytes());
}

TEST(FreePort, IsNoneThatSomebodyListensAt) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener.get(), place, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), place, &size), 0);
  const int taken = ntohs(address.sin_port);
  const Status free = CheckPortFree(taken);
  ASSERT_FALSE(free);
  EXPECT_EQ(free.error().code(), ErrorCode::kConflict);
  EXPECT_NE(free.error().message().find(std::to_string(taken)), std::string::npos);
  const auto other = FindFreePort();
  ASSERT_TRUE(other);
  EXPECT_NE(*other, taken);
  EXPECT_TRUE(CheckPortFree(*other));
}

TEST(LogTail, KeepsTheLastOfAnyAmount) {
  LogTail tail(Bytes(4));
  for (int i = 0; i < 1000; ++i) tail.Add("ab");
  tail.Add("cde");
  EXPECT_EQ(tail.Last(KiB(1)), "bcde");
  EXPECT_EQ(tail.Last(Bytes(2)), "de");
}

}  // namespace
}  // namespace mlprof::server::process
