#include "server/tls/server_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ServerNamesTest, SortsNamesFromAddresses) {
  const ServerNames names =
      NamesOf({"localhost", "127.0.0.1", "[::1]", "Box.Example", "2001:db8::1"});
  EXPECT_THAT(names.dns, ElementsAre("localhost", "box.example"));
  EXPECT_THAT(names.addresses, ElementsAre("127.0.0.1", "::1", "2001:db8::1"));
}

TEST(ServerNamesTest, NamesEachOnce) {
  const ServerNames names = NamesOf({"a", "A", "::1", "[::1]", "127.0.0.1", "127.0.0.1"});
  EXPECT_THAT(names.dns, ElementsAre("a"));
  EXPECT_THAT(names.addresses, ElementsAre("::1", "127.0.0.1"));
}

TEST(ServerNamesTest, LeavesOutWhatNamesNoHost) {
  const ServerNames names =
      NamesOf({"0.0.0.0", "::", "", "a b", "a,DNS:b", "-a", "a..b", ".", "a.", std::string(64, 'a'),
               std::string(300, 'a'), "*.example", "ä.example"});
  EXPECT_THAT(names.dns, IsEmpty());
  EXPECT_THAT(names.addresses, IsEmpty());
}

}  // namespace
}  // namespace mlprof::server
