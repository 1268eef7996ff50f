#include "server/retention/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Timestamp kNow{std::chrono::milliseconds(1'790'000'000'000)};

Holding Used(const std::string& id, hours ago, Bytes size, bool needed = false) {
  return {id, size, kNow - ago, needed};
}

std::vector<std::string> IdsOf(const std::vector<Leaving>& leaving) {
  std::vector<std::string> ids;
  for (const Leaving& item : leaving) ids.push_back(item.what.id);
  return ids;
}

TEST(RetentionPolicy, LetsGoWhatIsOlderThanItsLimitOldestFirst) {
  const auto leaving =
      ChooseLeaving({Used("new", hours(1), GiB(1)), Used("old", hours(49), GiB(1)),
                     Used("older", hours(50), GiB(1)), Used("just", hours(48), GiB(1))},
                    {hours(48), std::nullopt}, kNow);
  EXPECT_THAT(IdsOf(leaving), ElementsAre("older", "old"));
  EXPECT_EQ(leaving[0].why, "older than 2 days");
}

TEST(RetentionPolicy, LetsTheOldestGoUntilTheRestIsWithinTheSize) {
  const auto leaving = ChooseLeaving(
      {Used("c", hours(1), GiB(2)), Used("a", hours(3), GiB(2)), Used("b", hours(2), GiB(2))},
      {std::nullopt, GiB(4)}, kNow);
  EXPECT_THAT(IdsOf(leaving), ElementsAre("a"));
  EXPECT_EQ(leaving[0].why, "the oldest, while all take more than 4 GiB");
}

TEST(RetentionPolicy, WhatWentForItsAgeCountsNoMoreForTheSize) {
  const auto leaving = ChooseLeaving({Used("a", hours(99), GiB(2)), Used("b", hours(2), GiB(4))},
                                     {hours(48), GiB(4)}, kNow);
  EXPECT_THAT(IdsOf(leaving), ElementsAre("a"));
}

TEST(RetentionPolicy, NeverLetsGoWhatIsNeededThoughItCounts) {
  const auto leaving =
      ChooseLeaving({Used("needed", hours(99), GiB(8), true), Used("b", hours(2), GiB(1))},
                    {hours(48), GiB(4)}, kNow);
  EXPECT_THAT(IdsOf(leaving), ElementsAre("b"));
}

TEST(RetentionPolicy, WithoutLimitsKeepsAllForEver) {
  EXPECT_THAT(ChooseLeaving({Used("a", hours(1'000'000), GiB(9000))}, {}, kNow), IsEmpty());
}

TEST(RetentionPolicy, SaysAgesAsAPersonReadsThem) {
  EXPECT_EQ(AgeText(hours(24)), "1 day");
  EXPECT_EQ(AgeText(hours(36)), "36 hours");
  EXPECT_EQ(AgeText(std::chrono::seconds(90)), "90 seconds");
}

}  // namespace
}  // namespace mlprof::server
