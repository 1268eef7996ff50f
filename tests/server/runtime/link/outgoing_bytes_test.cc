#include "server/runtime/outgoing_bytes.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "common/os/unique_fd.h"

namespace mlprof::server {
namespace {

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0) {
      near.Reset(ends[0]);
      far.Reset(ends[1]);
    }
  }
  UniqueFd near;
  UniqueFd far;
};

TEST(OutgoingBytesTest, KeepsWhatASlowReaderDoesNotTakeAndLosesNothing) {
  const Pair pair;
  OutgoingBytes outgoing;
  std::string sent;
  for (int i = 0; i < 100'000; ++i) sent += std::to_string(i) + ",";
  outgoing.tail() += sent;
  outgoing.WriteTo(pair.near.get());
  EXPECT_FALSE(outgoing.empty());
  std::string got;
  std::array<char, 65536> piece;
  while (got.size() < sent.size()) {
    const ssize_t n = ::read(pair.far.get(), piece.data(), piece.size());
    ASSERT_GT(n, 0);
    got.append(piece.data(), static_cast<std::size_t>(n));
    outgoing.WriteTo(pair.near.get());
  }
  EXPECT_EQ(got, sent);
  EXPECT_TRUE(outgoing.empty());
}

TEST(OutgoingBytesTest, HoldsNothingForAReaderThatIsGone) {
  Pair pair;
  pair.far.Reset();
  OutgoingBytes outgoing;
  outgoing.tail() = "row";
  outgoing.WriteTo(pair.near.get());
  EXPECT_TRUE(outgoing.empty());
}

}  // namespace
}  // namespace mlprof::server
