#include "server/runtime/environment/proxy/relay_rules.h"

#include <gtest/gtest.h>

namespace mlprof::server::environment {
namespace {

RelayRules Rules() {
  RelayRules rules;
  rules.named = {{"mirror.corp", 8081}, {"192.0.2.2", 3141}, {"localhost", 3141}};
  rules.own_ports = {8080, 8443};
  rules.own_addresses = {*IpAddress::Parse("192.0.2.2"), *IpAddress::Parse("fd00::2")};
  rules.own_names = {"box.corp", "box"};
  return rules;
}

// What a request's "HOST:PORT" comes to: "" for let through, else why not.
std::string Judged(const std::string& text, const std::vector<std::string>& means = {}) {
  const auto target = ParseHostPort(text, 0);
  if (!target) return "malformed";
  std::vector<IpAddress> addresses;
  for (const std::string& address : means) addresses.push_back(*IpAddress::Parse(address));
  return WhyRefused(*target, addresses, Rules()).value_or("");
}

TEST(RelayRules, RefusesThisMachineInAnySpelling) {
  for (const char* host : {"127.0.0.1",
                           "127.0.0.2",
                           "127.255.255.254",
                           "127.1",
                           "127.0.1",
                           "0x7f.1",
                           "0x7f.0.0.1",
                           "0x7F000001",
                           "2130706433",
                           "0177.0.0.1",
                           "017700000001",
                           "0",
                           "0.0.0.0",
                           "0.1",
                           "00",
                           "0x0",
                           "127.0.0.1.",
                           "127.1.",
                           "localhost",
                           "LOCALHOST",
                           "LocalHost.",
                           "a.localhost",
                           "x.y.localhost",
                           "localhost.localdomain",
                           "ip6-localhost",
                           "ip6-loopback",
                           "[::1]",
                           "[::]",
                           "[0:0:0:0:0:0:0:1]",
                           "[0000::0001]",
                           "[::ffff:127.0.0.1]",
                           "[::ffff:7f00:1]",
                           "[::ffff:0.0.0.0]",
                           "[::127.0.0.1]",
                           "[64:ff9b::127.0.0.1]",
                           "[64:ff9b::7f00:1]",
                           "[2002:7f00:1::]",
                           "192.0.2.2",
                           "[::ffff:192.0.2.2]",
                           "[64:ff9b::192.0.2.2]",
                           "0xc0.0.2.2",
                           "3221225986",
                           "[fd00::2]",
                           "[fd00:0::0:2]",
                           "box",
                           "box.corp",
                           "BOX.",
                           "169.254.169.254",
                           "169.254.1",
                           "[fe80::1]",
                           "[febf::1]",
                           "224.0.0.1",
                           "255.255.255.255",
                           "[ff02::1]"}) {
    for (const char* port : {":443", ":80", ":8080"}) {
      EXPECT_NE(Judged(std::string(host) + port), "") << host << port;
    }
  }
}

TEST(RelayRules, TakesNoHostThatCouldBeReadInTwoWays) {
  for (const char* text : {"",
                           ":443",
                           "a:b:443",
                           "::1:443",
                           "[::1",
                           "[::1]x:443",
                           "[127.0.0.1]:443",
                           "[fe80::1%25eth0]:443",
                           "%6c%6f%63%61%6c%68%6f%73%74:443",
                           "user@127.0.0.1:443",
                           "a b:443",
                           "a/b:443",
                           "a\\b:443",
                           "a..b:443",
                           "localhost..:443",
                           ".:443",
                           ".localhost:443",
                           "-a:443",
                           "①②⑦.⓪.⓪.①:443",
                           "a:0",
                           "a:65536",
                           "a:+443",
                           "a: 443",
                           "a:443x",
                           "a:-1",
                           "a:0x1bb",
                           "a,b:443"}) {
    EXPECT_FALSE(ParseHostPort(text, 0)) << text;
  }
}

TEST(RelayRules, RefusesNamesThatMeanThisMachineHere) {
  EXPECT_NE(Judged("rebind.test:443", {"127.0.0.1"}), "");
  EXPECT_NE(Judged("rebind.test:443", {"203.0.113.9", "::1"}), "");
  EXPECT_NE(Judged("rebind.test:443", {"::ffff:127.0.0.5"}), "");
  EXPECT_NE(Judged("rebind.test:443", {"192.0.2.2"}), "");
  EXPECT_NE(Judged("rebind.test:443", {"169.254.169.254"}), "");
  EXPECT_EQ(Judged("index.test:443", {"203.0.113.9", "2001:db8::9"}), "");
}

TEST(RelayRules, LetsPortsOfPackagesThroughAlone) {
  EXPECT_EQ(Judged("index.test:443"), "");
  EXPECT_EQ(Judged("index.test:80"), "");
  EXPECT_EQ(Judged("files.corp:8081"), "");  // the port of a named index
  EXPECT_NE(Judged("rebind.test:2375"), "");
  EXPECT_NE(Judged("rebind.test:22"), "");
}

TEST(RelayRules, RefusesThePortsOfThisServerWhateverTheNameMeans) {
  RelayRules rules = Rules();
  rules.own_ports = {443};
  const auto why = WhyRefused({"index.test", 443}, {}, rules);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("listens on port 443"), std::string::npos) << *why;
  rules.named.push_back({"index.test", 443});
  EXPECT_FALSE(WhyRefused({"index.test", 443}, {}, rules));
  EXPECT_TRUE(WhyRefused({"other.test", 443}, {}, rules));
  rules.own_ports = {8081};
  EXPECT_TRUE(WhyRefused({"files.corp", 8081}, {}, rules));
}

TEST(RelayRules, LetsANamedIndexOfThisMachineThroughButNotItsLoopback) {
  EXPECT_EQ(Judged("192.0.2.2:3141"), "");
  EXPECT_NE(Judged("192.0.2.2:443"), "");
  EXPECT_NE(Judged("localhost:3141"), "");
  EXPECT_EQ(Judged("mirror.corp:8081", {"192.0.2.2"}), "");
  EXPECT_NE(Judged("mirror.corp:8081", {"127.0.0.1"}), "");
}

TEST(IsLoopbackHost, KnowsEverySpelling) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1", "0x7f.1", "0", "0.0.0.0", "::1",
                           "::", "::ffff:127.0.0.1", "a.localhost"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"127.0.0.1.nip.test", "localhost.corp", "10.0.0.1", "128.0.0.1",
                           "2001:db8::1", "proxy", "127"}) {
    // "127" is 0.0.0.127, which connects to this machine as well.
    EXPECT_EQ(IsLoopbackHost(host), std::string_view(host) == "127") << host;
  }
}

}  // namespace
}  // namespace mlprof::server::environment
