#include "server/analysis/confidence.h"

#include <gtest/gtest.h>

#include <array>

namespace mlprof {
namespace {

ConfidenceEvidence Proven() {
  ConfidenceEvidence evidence;
  evidence.passes = 3;
  evidence.enough_requests = true;
  evidence.trend = MemoryTrend::kFlat;
  evidence.latency_spread = 0.02;
  return evidence;
}

TEST(ConfidenceTest, IsHighForThreePassesOnAQuietHostWithFlatMemory) {
  const ConfidenceLabels labels = JudgeConfidence(Proven());
  EXPECT_EQ(labels.cpu, Confidence::kHigh);
  EXPECT_EQ(labels.memory, Confidence::kHigh);
  EXPECT_EQ(labels.overall(), Confidence::kHigh);
}

TEST(ConfidenceTest, IsLowWithoutTwoPassesOrWithFailedRows) {
  ConfidenceEvidence evidence = Proven();
  evidence.passes = 1;
  EXPECT_EQ(JudgeConfidence(evidence).overall(), Confidence::kLow);
  evidence = Proven();
  evidence.rows_failed = true;
  EXPECT_EQ(JudgeConfidence(evidence).overall(), Confidence::kLow);
}

TEST(ConfidenceTest, ANoisyHostLowersTheCpuAlone) {
  ConfidenceEvidence evidence = Proven();
  evidence.noisy = true;
  const ConfidenceLabels labels = JudgeConfidence(evidence);
  EXPECT_EQ(labels.cpu, Confidence::kLow);
  EXPECT_EQ(labels.memory, Confidence::kHigh);
  EXPECT_EQ(labels.overall(), Confidence::kLow);
}

TEST(ConfidenceTest, GrowingMemoryLowersTheMemoryAlone) {
  ConfidenceEvidence evidence = Proven();
  evidence.trend = MemoryTrend::kGrowing;
  EXPECT_EQ(JudgeConfidence(evidence).memory, Confidence::kLow);
  EXPECT_EQ(JudgeConfidence(evidence).cpu, Confidence::kHigh);
}

TEST(ConfidenceTest, IsMediumForScatteredLatenciesOrTooFewRequests) {
  ConfidenceEvidence evidence = Proven();
  evidence.latency_spread = 0.08;
  EXPECT_EQ(JudgeConfidence(evidence).cpu, Confidence::kMedium);
  evidence = Proven();
  evidence.enough_requests = false;
  EXPECT_EQ(JudgeConfidence(evidence).overall(), Confidence::kMedium);
}

TEST(ConfidenceTest, HalfRangeIsRelativeToTheMean) {
  const std::array<double, 3> values = {9, 10, 11};
  EXPECT_DOUBLE_EQ(HalfRange(values), 0.1);
  EXPECT_EQ(HalfRange(std::span(values).first(1)), 0);
}

}  // namespace
}  // namespace mlprof
