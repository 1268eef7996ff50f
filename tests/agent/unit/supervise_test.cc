#include <gtest/gtest.h>

#include <csignal>

#include "agent/supervise/accounts.h"
#include "agent/supervise/process_set.h"
#include "agent/supervise/signals.h"

namespace mlprof::agent {
namespace {

constexpr std::string_view kPasswd =
    "root:x:0:0:root:/root:/bin/sh\n"
    "# a comment\n"
    "broken:x:abc:1::/:\n"
    "web:x:101:102:web server:/var/www:/bin/false\n"
    "nobody:x:65534:65534::/nonexistent:/bin/false";
constexpr std::string_view kGroup =
    "root:x:0:\n"
    "video:x:44:alice,web\n"
    "www:x:102:\n"
    "data:x:33:web\n";

Identity Resolve(std::string_view user) {
  const auto identity = ResolveUser(user, kPasswd, kGroup);
  EXPECT_TRUE(identity) << user;
  return identity.value_or(Identity{});
}

TEST(ResolveUserTest, FollowsTheRulesOfContainers) {
  EXPECT_EQ(Resolve(""), (Identity{0, 0, {}, "/root"}));
  EXPECT_EQ(Resolve("web"), (Identity{101, 102, {44, 33}, "/var/www"}));
  EXPECT_EQ(Resolve("101"), (Identity{101, 102, {44, 33}, "/var/www"}));
  EXPECT_EQ(Resolve("web:video"), (Identity{101, 44, {}, "/var/www"}));
  EXPECT_EQ(Resolve("web:7"), (Identity{101, 7, {}, "/var/www"}));
  EXPECT_EQ(Resolve("1000"), (Identity{1000, 0, {}, ""}));
  EXPECT_EQ(Resolve("1000:1000"), (Identity{1000, 1000, {}, ""}));
  EXPECT_EQ(Resolve("1000:www"), (Identity{1000, 102, {}, ""}));
  EXPECT_EQ(Resolve("web:"), (Identity{101, 102, {44, 33}, "/var/www"}));
}

TEST(ResolveUserTest, RefusesWhatTheFilesDoNotHave) {
  EXPECT_FALSE(ResolveUser("ghost", kPasswd, kGroup));
  EXPECT_FALSE(ResolveUser("web:ghosts", kPasswd, kGroup));
  EXPECT_FALSE(ResolveUser("broken", kPasswd, kGroup));
  EXPECT_FALSE(ResolveUser("-1", kPasswd, kGroup));
  EXPECT_FALSE(ResolveUser("4294967295", kPasswd, kGroup));
  EXPECT_FALSE(ResolveUser("web", "", ""));
}

TEST(ParseSignalTest, KnowsNamesAndNumbers) {
  EXPECT_EQ(ParseSignal(""), SIGTERM);
  EXPECT_EQ(ParseSignal("SIGTERM"), SIGTERM);
  EXPECT_EQ(ParseSignal("QUIT"), SIGQUIT);
  EXPECT_EQ(ParseSignal("3"), SIGQUIT);
  EXPECT_EQ(ParseSignal("SIGRTMIN+3"), SIGRTMIN + 3);
  for (const char* bad : {"SIGNOTHING", "0", "65", "-1", "SIGRTMIN+", "SIGRTMIN+x", "9x"}) {
    EXPECT_FALSE(ParseSignal(bad)) << bad;
  }
}

TEST(StandingProcessesTest, TellsOnlyOfThoseThatHaveStood) {
  using namespace std::chrono_literals;
  StandingProcesses standing;
  Clock::time_point now{1000s};
  EXPECT_TRUE(standing.Observe({10, 11}, now).empty());
  EXPECT_TRUE(standing.Observe({10, 12}, now + 1s).empty());  // 11 was short-lived
  EXPECT_EQ(standing.Observe({10}, now + 3s), std::vector<pid_t>{12});
  EXPECT_TRUE(standing.Observe({10}, now + 4s).empty());  // told once
  EXPECT_EQ(standing.Observe({}, now + 5s), std::vector<pid_t>{10});
}

TEST(StandingProcessesTest, ReadinessMakesThemStandAndAKnownEndIsNotTold) {
  using namespace std::chrono_literals;
  StandingProcesses standing;
  Clock::time_point now{1000s};
  standing.MarkStanding({10, 11});
  standing.Forget(11);
  EXPECT_EQ(standing.Observe({}, now), std::vector<pid_t>{10});
}

}  // namespace
}  // namespace mlprof::agent
