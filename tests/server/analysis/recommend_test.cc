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

TEST(FirstAnswerTest, AsksForNoLessCpuThanStartsItInTime) {
  MeasuredNeed need = Need(0.2, MiB(50), MiB(50));
  need.cpu.to_start = Cores(0.6);
  const Limits first = FirstAnswer(need, kCeiling);
  EXPECT_EQ(first.cpu(), Cores(0.6));
  const Recommendation answer = Recommend(first, need, kCeiling, {});
  EXPECT_EQ(answer.bounds.Find(ResourceKind::kCpu)->reason,
            "the rows used 0.20 cores on average; it takes 0.6 to start in time");
  need.cpu.to_start = Cores(0.1);
  EXPECT_EQ(FirstAnswer(need, kCeiling).cpu(), Cores(0.2));
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

TEST(RaiseTest, RaisesMemoryByAFifthAloneWhereLittleWasMissing) {
  EXPECT_EQ(
      Raise({Cores(1.0), MiB(160)}, ResourceKind::kMemory, kCeiling, Shortfall::kSmall)->memory(),
      MiB(192));
}

TEST(RaiseTest, DoublesMemoryOfWhichAHeapGetsAPart) {
  EXPECT_EQ(
      Raise({Cores(1.0), MiB(304)}, ResourceKind::kMemory, kCeiling, Shortfall::kOfHeap)->memory(),
      MiB(608));
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

const Bound& BoundOf(const Recommendation& answer, ResourceKind kind) {
  return *answer.bounds.Find(kind);
}

TEST(RecommendTest, SaysThatLessThanTheUseHeldTheObjectiveOnlyWhereARunDid) {
  const Limits answer{Cores(0.3), MiB(224)};
  const MeasuredNeed need = Need(1.0, MiB(100), MiB(200));
  EXPECT_EQ(BoundOf(Recommend(answer, need, kCeiling, {}, {Cores(0.3)}), ResourceKind::kCpu).reason,
            "the rows used 1.00 cores on average; 0.3 cores held the objective");
  EXPECT_EQ(BoundOf(Recommend(answer, need, kCeiling, {}), ResourceKind::kCpu).reason,
            "the rows used 1.00 cores on average");
}

TEST(RecommendTest, ARangeBeginsAboveWhatWasRunAndFellShort) {
  const Limits answer{Cores(0.5), MiB(336)};
  const Recommendation told = Recommend(answer, Need(0.35, MiB(100), MiB(200)), kCeiling,
                                        {{{Cores(0.4), MiB(224)}, ResourceKind::kCpu}});
  EXPECT_TRUE(BoundOf(told, ResourceKind::kCpu).low_failed);
  EXPECT_FALSE(BoundOf(told, ResourceKind::kMemory).low_failed);
  EXPECT_EQ(BoundOf(told, ResourceKind::kMemory).low, MiB(202));  // what was needed
}

TEST(RecommendTest, ARunThatOtherWorkDisturbedIsNoBound) {
  const Limits answer{Cores(0.5), MiB(272)};
  const std::vector<FailedTry> failed = {
      {.limits = {Cores(0.5), MiB(160)}, .shortage = ResourceKind::kMemory, .disturbed = true}};
  const Bound bound = BoundOf(Recommend(answer, Need(0.5, MiB(100), MiB(140)), kCeiling, failed),
                              ResourceKind::kMemory);
  EXPECT_EQ(bound.low, MiB(142));
  EXPECT_FALSE(bound.low_failed);
  EXPECT_EQ(bound.reason.find("fell short"), std::string::npos) << bound.reason;
  EXPECT_NE(bound.reason.find("160 MiB were too slow in a run that other work"), std::string::npos)
      << bound.reason;
  EXPECT_EQ(RaisedByNoise(answer, failed), std::vector{ResourceKind::kMemory});
}

TEST(RecommendTest, AFailureOnAQuietHostBoundsWhatNoiseRaisedBefore) {
  const Limits answer{Cores(0.5), MiB(272)};
  const std::vector<FailedTry> failed = {
      {.limits = {Cores(0.5), MiB(160)}, .shortage = ResourceKind::kMemory, .disturbed = true},
      {{Cores(0.5), MiB(240)}, ResourceKind::kMemory}};
  const Bound bound = BoundOf(Recommend(answer, Need(0.5, MiB(100), MiB(140)), kCeiling, failed),
                              ResourceKind::kMemory);
  EXPECT_EQ(bound.low, MiB(240));
  EXPECT_EQ(bound.reason.find("disturbed"), std::string::npos) << bound.reason;
  EXPECT_TRUE(RaisedByNoise(answer, failed).empty());
}

TEST(RecommendTest, TheLeastThereIsIsItsOwnRange) {
  const Recommendation told = Recommend(kSmallestLimits, Need(0.02, MiB(7), MiB(8)), kCeiling, {});
  EXPECT_EQ(BoundOf(told, ResourceKind::kMemory).low, MiB(32));
  EXPECT_EQ(BoundOf(told, ResourceKind::kMemory).high, MiB(32));
  EXPECT_EQ(
      BoundOf(told, ResourceKind::kMemory).reason,
      "10 MiB could not be given back at the peak under load; 32 MiB is the least limit there "
      "is");
  EXPECT_EQ(BoundOf(told, ResourceKind::kCpu).low, Cores(0.1));
}

TEST(RecommendTest, SaysThatTheCeilingIsLessThanTheNeedAsksFor) {
  const Recommendation told = Recommend(kCeiling, Need(3.4, MiB(100), MiB(200)), kCeiling, {});
  EXPECT_EQ(BoundOf(told, ResourceKind::kCpu).reason,
            "the rows used 3.40 cores on average; the ceiling is 2.0 cores");
}

TEST(RecommendTest, AMarginIsToldOfTheLimitThatItMakes) {
  const MeasuredNeed need = Need(0.5, MiB(100), MiB(200));
  const auto reason = [&](Bytes memory) {
    return BoundOf(Recommend({Cores(0.5), memory}, need, kCeiling, {}), ResourceKind::kMemory)
        .reason;
  };
  EXPECT_NE(reason(MiB(224)).find("plus a margin of 10%"), std::string::npos);
  EXPECT_EQ(reason(MiB(208)).find("margin"), std::string::npos);
}

TEST(RecommendTest, BoundsNeverCrossTheAnswer) {
  const Limits answer{Cores(0.1), MiB(32)};
  const Recommendation recommendation = Recommend(answer, Need(1.7, GiB(3), GiB(3)), kCeiling, {});
  EXPECT_LE(recommendation.bounds.Find(ResourceKind::kCpu)->low, answer.cpu());
  EXPECT_LE(recommendation.bounds.Find(ResourceKind::kMemory)->low, answer.memory());
}

}  // namespace
}  // namespace mlprof::server
