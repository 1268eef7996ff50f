#include "server/analysis/recommend.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

const Limits kCeiling{Cores(2.0), GiB(4)};

MeasuredNeed Need(double cores, Bytes start, Bytes serving) {
  MeasuredNeed need;
  need.cpu.cores = cores;
  need.memory.start_peak = start;
  need.memory.serving_peak = serving;
  need.memory.agent_memory = MiB(2);
  return need;
}

TEST(FirstAnswerTest, RoundsCpuUpToATenth) {
  EXPECT_EQ(FirstAnswer(Need(0.45, MiB(50), MiB(50)), kCeiling).cpu(), Cores(0.5));
  EXPECT_EQ(FirstAnswer(Need(1.06, MiB(50), MiB(50)), kCeiling).cpu(), Cores(1.1));
}

TEST(FirstAnswerTest, TakesOneThreadsWorkAfterItsResponseForNoSecondCore) {
  MeasuredNeed need = Need(1.04, MiB(50), MiB(50));
  EXPECT_EQ(FirstAnswer(need, kCeiling).cpu(), Cores(1.0));
  need.cpu.noisy = true;
  EXPECT_EQ(FirstAnswer(need, kCeiling).cpu(), Cores(1.1));
}

TEST(FirstAnswerTest, LeavesRoomForTheBurstsOfARate) {
  MeasuredNeed need = Need(0.7, MiB(50), MiB(50));
  need.cpu.utilization = 0.70;
  EXPECT_EQ(FirstAnswer(need, kCeiling).cpu(), Cores(1.0));
}

TEST(FirstAnswerTest, CountsTheFilePagesThatServingNeeds) {
  MeasuredNeed need = Need(0.1, MiB(100), MiB(150));
  need.memory.hot_file = MiB(50);
  EXPECT_EQ(FirstAnswer(need, kCeiling).memory(), MiB(224));
}

TEST(FirstAnswerTest, AddsTheAgentAndAMarginToTheLargerPeak) {
  // (200 + 2) MiB × 1.10 = 222.2 MiB, the next multiple of 16 MiB is 224.
  EXPECT_EQ(FirstAnswer(Need(0.1, MiB(100), MiB(200)), kCeiling).memory(), MiB(224));
  EXPECT_EQ(FirstAnswer(Need(0.1, MiB(200), MiB(100)), kCeiling).memory(), MiB(224));
}

TEST(FirstAnswerTest, AddsTheSpreadOfStartsOnlyWhereServingDecides) {
  MeasuredNeed need = Need(0.1, MiB(100), MiB(200));
  need.memory.start_spread = MiB(32);
  EXPECT_EQ(FirstAnswer(need, kCeiling).memory(), MiB(256));
  need.memory.start_peak = MiB(300);
  EXPECT_EQ(FirstAnswer(need, kCeiling).memory(), MiB(336));
}

TEST(FirstAnswerTest, StaysBetweenTheSmallestLimitsAndTheCeiling) {
  EXPECT_EQ(FirstAnswer(Need(0, MiB(1), MiB(1)), kCeiling), kSmallestLimits);
  EXPECT_EQ(FirstAnswer(Need(9, GiB(9), GiB(9)), kCeiling), kCeiling);
}

TEST(RaiseTest, RaisesMemoryByAFifthOrAHundredMebibytes) {
  EXPECT_EQ(Raise({Cores(1.0), MiB(64)}, ResourceKind::kMemory, kCeiling)->memory(), MiB(176));
  EXPECT_EQ(Raise({Cores(1.0), GiB(2)}, ResourceKind::kMemory, kCeiling)->memory(),
            RoundUp(Scale(GiB(2), 1.2), MiB(16)));
}

TEST(RaiseTest, RaisesCpuByOneStepOrATenth) {
  EXPECT_EQ(Raise({Cores(0.4), MiB(64)}, ResourceKind::kCpu, kCeiling)->cpu(), Cores(0.5));
  EXPECT_EQ(Raise({Cores(1.0), MiB(64)}, ResourceKind::kCpu, kCeiling)->cpu(), Cores(1.1));
}

TEST(RaiseTest, HasNothingToRaiseAtTheCeiling) {
  EXPECT_FALSE(Raise(kCeiling, ResourceKind::kCpu, kCeiling));
  EXPECT_FALSE(Raise(kCeiling, ResourceKind::kMemory, kCeiling));
}

TEST(RecommendTest, BoundsTheAnswerByWhatFailed) {
  const Limits answer{Cores(0.5), MiB(336)};
  const Recommendation recommendation =
      Recommend(answer, Need(0.35, MiB(100), MiB(200)), kCeiling,
                {{{Cores(0.4), MiB(224)}, ResourceKind::kCpu},
                 {{Cores(0.5), MiB(224)}, ResourceKind::kMemory}});
  EXPECT_EQ(recommendation.requested, answer);
  EXPECT_EQ(recommendation.bounds.Find(ResourceKind::kCpu)->low, Cores(0.4));
  EXPECT_EQ(recommendation.bounds.Find(ResourceKind::kMemory)->low, MiB(224));
  EXPECT_GE(recommendation.bounds.Find(ResourceKind::kCpu)->high, answer.cpu());
  EXPECT_GE(recommendation.bounds.Find(ResourceKind::kMemory)->high, answer.memory());
  EXPECT_FALSE(recommendation.verified);
  EXPECT_FALSE(recommendation.tight.has_value());
}

TEST(RecommendTest, SaysThatLessThanTheUseHoldsAnObjective) {
  const Limits answer{Cores(0.3), MiB(224)};
  const std::string reason = Recommend(answer, Need(1.0, MiB(100), MiB(200)), kCeiling, {})
                                 .bounds.Find(ResourceKind::kCpu)
                                 ->reason;
  EXPECT_NE(reason.find("0.3 cores hold the latency objective"), std::string::npos) << reason;
}

TEST(RecommendTest, BoundsNeverCrossTheAnswer) {
  const Limits answer{Cores(0.1), MiB(32)};
  const Recommendation recommendation = Recommend(answer, Need(1.7, GiB(3), GiB(3)), kCeiling, {});
  EXPECT_LE(recommendation.bounds.Find(ResourceKind::kCpu)->low, answer.cpu());
  EXPECT_LE(recommendation.bounds.Find(ResourceKind::kMemory)->low, answer.memory());
}

}  // namespace
}  // namespace mlprof::server
