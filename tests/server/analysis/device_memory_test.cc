// What needs, ceilings and limits with device memory become, and that nothing of it is there where
// there is no device.
#include <gtest/gtest.h>

#include "server/analysis/confidence.h"
#include "server/analysis/descent.h"
#include "server/analysis/recommend.h"
#include "server/analysis/sentence.h"
#include "server/analysis/what_if/what_if.h"
#include "tests/server/analysis/made_up_profile.h"

namespace mlprof::server {
namespace {

constexpr auto kDevice = ResourceKind::kDeviceMemory;
constexpr Limits kHost{Cores(2.0), GiB(4)};
constexpr Limits kHostWithDevices{Cores(2.0), GiB(4), {GiB(16), 2}};

MeasuredNeed NeedOfHost() {
  MeasuredNeed need;
  need.cpu.cores = 0.35;
  need.memory.start_peak = MiB(100);
  need.memory.serving_peak = MiB(200);
  return need;
}

MeasuredNeed NeedWithDevices() {
  MeasuredNeed need = NeedOfHost();
  need.device_memory.emplace().peak = {GiB(6), 2};
  return need;
}

TEST(DeviceMemoryTest, IsAskedForWithItsMarginOnItsGridByCount) {
  const Limits answer = FirstAnswer(NeedWithDevices(), kHostWithDevices);
  EXPECT_EQ(answer.device_memory(), (DeviceMemory{MiB(6784), 2}));  // 6 GiB × 1.10 on 64 MiB
  // What the host gives is asked as ever.
  EXPECT_EQ(answer.cpu(), FirstAnswer(NeedOfHost(), kHost).cpu());
  EXPECT_EQ(answer.memory(), FirstAnswer(NeedOfHost(), kHost).memory());
}

TEST(DeviceMemoryTest, IsAbsentFromTheAnswerWhereTheCeilingHasNone) {
  EXPECT_EQ(FirstAnswer(NeedWithDevices(), kHost), FirstAnswer(NeedOfHost(), kHost));
  EXPECT_EQ(FirstAnswer(NeedOfHost(), kHost).All().size(), 2U);
}

TEST(DeviceMemoryTest, StaysAtTheCeilingUntilItWasMeasured) {
  const Limits answer = FirstAnswer(NeedOfHost(), kHostWithDevices);
  EXPECT_EQ(answer.device_memory(), kHostWithDevices.device_memory());
  const Recommendation told = Recommend(answer, NeedOfHost(), kHostWithDevices, {});
  EXPECT_EQ(told.bounds.Find(kDevice), nullptr);
}

TEST(DeviceMemoryTest, IsHeldBetweenTheSmallestLimitAndTheCeiling) {
  MeasuredNeed need = NeedWithDevices();
  need.device_memory->peak = {GiB(30), 2};
  EXPECT_EQ(FirstAnswer(need, kHostWithDevices).device_memory(), (DeviceMemory{GiB(16), 2}));
  need.device_memory->peak = {Bytes(1), 2};
  EXPECT_EQ(FirstAnswer(need, kHostWithDevices).device_memory(), (DeviceMemory{MiB(64), 2}));
}

TEST(DeviceMemoryTest, IsRaisedByItselfUpToTheCeiling) {
  const Limits tried{Cores(0.4), MiB(224), {GiB(6), 2}};
  EXPECT_EQ(Raise(tried, kDevice, kHostWithDevices), tried.With(DeviceMemory{MiB(7424), 2}));
  EXPECT_EQ(Raise(tried, ResourceKind::kMemory, kHostWithDevices)->device_memory(),
            tried.device_memory());
  EXPECT_EQ(Raise(kHostWithDevices, kDevice, kHostWithDevices), std::nullopt);
  EXPECT_EQ(Raise({Cores(0.4), MiB(224)}, kDevice, kHost), std::nullopt);
}

TEST(DeviceMemoryTest, HasABoundAndAReasonOfItsOwn) {
  const Limits answer = FirstAnswer(NeedWithDevices(), kHostWithDevices);
  const Recommendation told = Recommend(answer, NeedWithDevices(), kHostWithDevices, {});
  const Bound* bound = told.bounds.Find(kDevice);
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->low, Amount(DeviceMemory{GiB(6), 2}));
  EXPECT_EQ(bound->high, Amount(DeviceMemory{MiB(7680), 2}));
  EXPECT_EQ(bound->reason, "6144 MiB were needed on each of 2 devices, plus a margin of 10%");
}

TEST(DeviceMemoryTest, IsBoundedByTheMostOfItThatFailed) {
  const Limits answer{Cores(0.4), MiB(224), {GiB(8), 2}};
  const Recommendation told = Recommend(answer, NeedWithDevices(), kHostWithDevices,
                                        {{answer.With(DeviceMemory{GiB(6), 2}), kDevice},
                                         {answer.With(DeviceMemory{GiB(7), 2}), kDevice},
                                         {answer.With(MiB(208)), ResourceKind::kMemory}});
  EXPECT_EQ(told.bounds.Find(kDevice)->low, Amount(DeviceMemory{GiB(7), 2}));
  EXPECT_EQ(told.bounds.Find(ResourceKind::kMemory)->low, Amount(MiB(208)));
  EXPECT_NE(told.bounds.Find(kDevice)->reason.find("7168 MiB of device memory fell short"),
            std::string::npos);
}

TEST(DeviceMemoryTest, ChangesNothingOfWhatIsToldOfTheOthers) {
  const Limits host = FirstAnswer(NeedOfHost(), kHost);
  const Recommendation without = Recommend(host, NeedOfHost(), kHost, {});
  const Recommendation with = Recommend(FirstAnswer(NeedWithDevices(), kHostWithDevices),
                                        NeedWithDevices(), kHostWithDevices, {});
  EXPECT_EQ(without.bounds.Find(kDevice), nullptr);
  for (const ResourceKind kind : {ResourceKind::kCpu, ResourceKind::kMemory}) {
    EXPECT_EQ(*with.bounds.Find(kind), *without.bounds.Find(kind));
  }
}

TEST(DeviceMemoryTest, IsLoweredStepByStepAsTheOthersAre) {
  Descent descent(DeviceMemory{GiB(6), 2});
  EXPECT_EQ(descent.Next(), Amount(DeviceMemory{MiB(5504), 2}));
  descent.Tell(false);
  descent.Tell(false);
  EXPECT_EQ(descent.tight(), true);
  EXPECT_EQ(descent.accepted(), Amount(DeviceMemory{GiB(6), 2}));
}

TEST(DeviceMemoryTest, MakesTheAnswerAsSureAsItsLeastSureResource) {
  ConfidenceLabels labels;
  labels.judged.Set(ResourceKind::kCpu, {Confidence::kHigh});
  labels.judged.Set(ResourceKind::kMemory, {Confidence::kMedium});
  EXPECT_EQ(labels.LowestOf(kHost), Confidence::kMedium);
  EXPECT_EQ(labels.LowestOf(kHostWithDevices), Confidence::kLow);
}

TEST(DeviceMemoryTest, StaysInWhatIsForeseenForAnotherObjective) {
  MadeUpProfile made = ProfileOf({});
  Recommendation& own = *made.profile.recommendation;
  own.requested.Set(DeviceMemory{GiB(6), 2});
  own.Set({DeviceMemory{GiB(5), 2}, DeviceMemory{GiB(7), 2}, "measured"});
  WhatIfQuestion question;
  question.objective.concurrency = 2;
  const auto answer = AnswerWhatIf(made.profile, made.trials, made.rows, question);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->recommendation->requested.device_memory(), (DeviceMemory{GiB(6), 2}));
  EXPECT_EQ(answer->recommendation->bounds.Find(kDevice)->reason, "measured");
}

TEST(LimitsTextTest, NamesWhatThereIs) {
  EXPECT_EQ(LimitsText({Cores(0.4), MiB(512)}), "0.4 cores and 512 MiB");
  EXPECT_EQ(LimitsText({Cores(1.0), GiB(2), {GiB(6), 2}}),
            "1.0 cores, 2048 MiB and 2 x 6144 MiB of device memory");
}

}  // namespace
}  // namespace mlprof::server
