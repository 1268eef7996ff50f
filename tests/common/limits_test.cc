#include "common/domain/limits.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(AmountTest, GivesBackTheQuantityItCameFrom) {
  EXPECT_EQ(Amount(Cores(0.4)).cores(), Cores(0.4));
  EXPECT_EQ(Amount(MiB(48)).bytes(), MiB(48));
  EXPECT_EQ(Amount(DeviceMemory{GiB(6), 2}).device_memory(), (DeviceMemory{GiB(6), 2}));
}

TEST(AmountTest, IsLessWhereThereIsNoMoreOfAnything) {
  EXPECT_LT(Amount(Cores(0.3)), Amount(Cores(0.4)));
  EXPECT_LT(Amount(DeviceMemory{GiB(4), 2}), Amount(DeviceMemory{GiB(6), 2}));
  EXPECT_LT(Amount(DeviceMemory{GiB(6), 1}), Amount(DeviceMemory{GiB(6), 2}));
}

TEST(AmountTest, OrdersNeitherTwoResourcesNorFewerDevicesOfMore) {
  const Amount few_large(DeviceMemory{GiB(6), 1});
  const Amount many_small(DeviceMemory{GiB(4), 2});
  EXPECT_FALSE(few_large < many_small || many_small < few_large);
  EXPECT_FALSE(Amount(MiB(1)) < few_large || few_large < Amount(MiB(1)));
  EXPECT_EQ(Lesser(few_large, many_small), Amount(DeviceMemory{GiB(4), 1}));
  EXPECT_EQ(Greater(few_large, many_small), Amount(DeviceMemory{GiB(6), 2}));
}

// A resource that is added is driven by this as it stands.
TEST(ResourceRulesTest, StepsOfEveryResourceStayOnItsGridAndAboveItsSmallestLimit) {
  for (const ResourceKind kind : kResources) {
    const ResourceRules& rules = RulesOf(kind);
    EXPECT_EQ(OneStepLower(rules.smallest), std::nullopt) << rules.key;
    Amount limit = rules.smallest;
    for (int step = 0; step < 40; ++step) {
      const Amount higher = OneStepHigher(limit);
      ASSERT_GT(higher, limit) << rules.key;
      ASSERT_EQ(RoundDown(higher), higher) << rules.key;
      const auto lower = OneStepLower(higher);
      ASSERT_TRUE(lower) << rules.key;
      ASSERT_LT(*lower, higher) << rules.key;
      ASSERT_GE(*lower, rules.smallest) << rules.key;
      ASSERT_EQ(RoundUp(*lower), *lower) << rules.key;
      limit = higher;
    }
    EXPECT_EQ(Clamp(limit, rules.smallest), rules.smallest) << rules.key;
  }
}

TEST(ResourceRulesTest, StepsOfADeviceKeepItsCount) {
  const Amount limit(DeviceMemory{GiB(6), 2});
  EXPECT_EQ(OneStepHigher(limit), Amount(DeviceMemory{MiB(7424), 2}));  // 7372.8 on 64 MiB
  EXPECT_EQ(OneStepLower(limit), Amount(DeviceMemory{MiB(5504), 2}));   // 5529.6
  EXPECT_EQ(OneStepLower(DeviceMemory{MiB(64), 2}), std::nullopt);
}

TEST(LimitsTest, HaveOnlyWhatWasSet) {
  EXPECT_TRUE(Limits().All().empty());
  const Limits host{Cores(0.4), MiB(512)};
  EXPECT_EQ(host.All(), (std::vector<Amount>{Cores(0.4), MiB(512)}));
  EXPECT_EQ(host.device_memory(), std::nullopt);
  EXPECT_EQ(host.Find(ResourceKind::kDeviceMemory), std::nullopt);
  const Limits device{Cores(0.4), MiB(512), {GiB(6), 2}};
  EXPECT_EQ(device.device_memory(), (DeviceMemory{GiB(6), 2}));
  EXPECT_NE(device, host);
}

TEST(LimitsTest, ReplaceOneResourceAndKeepTheOthers) {
  const Limits limits{Cores(0.4), MiB(512), {GiB(6), 2}};
  EXPECT_EQ(limits.With(MiB(64)), Limits(Cores(0.4), MiB(64), {GiB(6), 2}));
  EXPECT_EQ(limits.With(DeviceMemory{GiB(4), 2}), Limits(Cores(0.4), MiB(512), {GiB(4), 2}));
}

}  // namespace
}  // namespace mlprof
