#include "common/http/connection_places.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(ConnectionLimits, LeaveAReserveEvenWhenEveryConnectionHasAFile) {
  for (const std::size_t descriptors : {64, 256, 1024, 4096, 65'536}) {
    const auto limits = LimitConnections(10'000, descriptors);
    const std::size_t left = descriptors - 2 * limits.all;
    EXPECT_GE(left, std::min<std::size_t>(256, descriptors / 4)) << descriptors;
    EXPECT_GT(left, limits.refused) << descriptors;
  }
}

TEST(ConnectionLimits, FollowWhatWasAskedWhereThereIsEnough) {
  const auto limits = LimitConnections(10'000, 65'536);
  EXPECT_EQ(limits.all, 10'000U);
  EXPECT_EQ(limits.of_this_machine, 5'000U);
  EXPECT_EQ(limits.of_address, 256U);
  EXPECT_EQ(limits.streams, 512U);
}

TEST(ConnectionLimits, AreNeverNothing) {
  for (const std::size_t descriptors : {0, 1, 3}) {
    const auto limits = LimitConnections(1, descriptors);
    EXPECT_EQ(limits.all, 1U);
    EXPECT_EQ(limits.of_this_machine, 1U);
    EXPECT_EQ(limits.of_address, 1U);
    EXPECT_EQ(limits.streams, 1U);
    EXPECT_EQ(limits.refused, 1U);
  }
}

PeerGroup Of(const char* address) { return PeerGroupOf(net::ip::make_address(address)); }

TEST(PeerGroup, IsAnAddressOrTheNetworkOfOneClient) {
  EXPECT_EQ(Of("192.0.2.1"), Of("192.0.2.1"));
  EXPECT_NE(Of("192.0.2.1"), Of("192.0.2.2"));
  EXPECT_EQ(Of("192.0.2.1"), Of("::ffff:192.0.2.1"));
  EXPECT_EQ(Of("2001:db8:1:2::3"), Of("2001:db8:1:2:ffff::4"));
  EXPECT_NE(Of("2001:db8:1:2::3"), Of("2001:db8:1:3::3"));
}

TEST(PeerGroup, HasThisMachineAsOne) {
  const PeerGroup here{};
  for (const char* address : {"127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.2"}) {
    EXPECT_EQ(Of(address), here) << address;
  }
  EXPECT_NE(Of("0.0.0.1"), here);
  EXPECT_NE(Of("::2"), here);
}

}  // namespace
}  // namespace mlprof
