#include "server/runtime/environment/proxy/host_lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace mlprof::server::environment {
namespace {

using namespace std::chrono_literals;

bool AnyLoopback(const std::vector<IpAddress>& addresses) {
  return std::any_of(addresses.begin(), addresses.end(),
                     [](const IpAddress& address) { return address.IsLoopback(); });
}

TEST(HostLookup, TellsWhatANameMeansHere) {
  EXPECT_TRUE(AnyLoopback(LookUp("localhost", {}, Deadline::After(10s))));
  EXPECT_TRUE(LookUp("", {}, Deadline::After(10s)).empty());
}

TEST(HostLookup, GivesUpInTimeAndWhenStopped) {
  EXPECT_TRUE(LookUp("localhost", {}, Deadline::After(0s)).empty());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(LookUp("localhost", stop.get_token(), Deadline::After(10s)).empty());
}

TEST(HostLookup, KnowsThisMachine) {
  EXPECT_TRUE(AnyLoopback(OwnAddresses()));
  EXPECT_FALSE(OwnNames().empty());
}

}  // namespace
}  // namespace mlprof::server::environment
