#include "server/analysis/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;

NoiseEvidence Quiet() {
  NoiseEvidence evidence;
  evidence.host_cores = 4;
  evidence.foreign_cores = 0.39;
  evidence.steal_share = 0.019;
  evidence.anchors_ms = {20, 20.5};
  return evidence;
}

TEST(NoiseTest, IsQuietUnderAllThresholds) {
  const auto verdict = JudgeNoise(Quiet());
  EXPECT_FALSE(verdict.noisy);
  EXPECT_EQ(verdict.sentence, "quiet");
}

TEST(NoiseTest, IsNoisyForOtherWorkOrStolenTime) {
  auto busy = Quiet();
  busy.foreign_cores = 0.41;
  EXPECT_TRUE(JudgeNoise(busy).noisy);
  EXPECT_THAT(JudgeNoise(busy).sentence, HasSubstr("other work used 0.41 cores"));
  auto stolen = Quiet();
  stolen.steal_share = 0.021;
  EXPECT_TRUE(JudgeNoise(stolen).noisy);
  EXPECT_THAT(JudgeNoise(stolen).sentence, HasSubstr("2.1% of the time was stolen"));
}

TEST(NoiseTest, TellsADriftOfTheAnchorAndTakesOnlyALargeOneForNoise) {
  auto drifting = Quiet();
  drifting.anchors_ms = {20, 22};
  EXPECT_FALSE(JudgeNoise(drifting).noisy);
  EXPECT_THAT(JudgeNoise(drifting).sentence, HasSubstr("differed by 10%"));
  drifting.anchors_ms = {20, 24};
  EXPECT_TRUE(JudgeNoise(drifting).noisy);
}

TEST(NoiseTest, NeverJudgesByPressureAlone) {
  auto pressed = Quiet();
  pressed.host_cpu_pressure = 90;
  EXPECT_FALSE(JudgeNoise(pressed).noisy);
  pressed.foreign_cores = 2;
  EXPECT_THAT(JudgeNoise(pressed).sentence, HasSubstr("90% of the time"));
}

TEST(NoiseTest, HasNoDriftOfOneAnchor) {
  EXPECT_EQ(AnchorDrift({20}), 0);
  EXPECT_EQ(AnchorDrift({}), 0);
  EXPECT_NEAR(AnchorDrift({20, 18, 21}), 1.0 / 6, 1e-9);
}

TEST(NoiseTest, IsNoisyWhereTheCoresClockFell) {
  NoiseEvidence evidence;
  evidence.host_cores = 2;
  evidence.frequency_drop = 0.3;
  const NoiseVerdict verdict = JudgeNoise(evidence);
  EXPECT_TRUE(verdict.noisy);
  EXPECT_NE(verdict.sentence.find("clock fell by 30%"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
