#include "server/rest/authority.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(AuthorityTest, GetsThePortOfItsSchemeWhereItHasNone) {
  EXPECT_EQ(WithPort("box.example", "https"), "box.example:443");
  EXPECT_EQ(WithPort("[::1]", "http"), "[::1]:80");
  EXPECT_EQ(WithPort("[::1]:8080", "https"), "[::1]:8080");
}

TEST(AuthorityTest, GivesItsHostAlone) {
  EXPECT_EQ(HostOf("localhost:80"), "localhost");
  EXPECT_EQ(HostOf("[::1]:80"), "[::1]");
  EXPECT_EQ(HostOf("[::1]"), "[::1]");
}

TEST(AuthorityTest, TellsAddressesFromNames) {
  for (const char* host : {"192.0.2.1", "[2001:db8::1]", "[::]"}) {
    EXPECT_TRUE(IsAddressHost(host)) << host;
  }
  for (const char* host : {"box", "1.2.3", "[192.0.2.1]", "[]", "::1", "1.2.3.4.example", ""}) {
    EXPECT_FALSE(IsAddressHost(host)) << host;
  }
}

}  // namespace
}  // namespace mlprof::server
