#include "server/analysis/confidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;

ConfidenceEvidence Proven() {
  ConfidenceEvidence evidence;
  evidence.passes = 3;
  evidence.enough_requests = true;
  evidence.trend = MemoryTrend::kFlat;
  evidence.latency_spread = 0.02;
  evidence.requests = 3000;
  return evidence;
}

TEST(ConfidenceTest, IsHighForThreePassesOnAQuietHostWithFlatMemory) {
  const ConfidenceLabels labels = JudgeConfidence(Proven());
  EXPECT_EQ(labels.Of(ResourceKind::kCpu).confidence, Confidence::kHigh);
  EXPECT_EQ(labels.Of(ResourceKind::kMemory).confidence, Confidence::kHigh);
  EXPECT_EQ(labels.LowestOf(kSmallestLimits), Confidence::kHigh);
}

TEST(ConfidenceTest, IsLowWithoutTwoPassesOrWithFailedRows) {
  ConfidenceEvidence evidence = Proven();
  evidence.passes = 1;
  EXPECT_EQ(JudgeConfidence(evidence).LowestOf(kSmallestLimits), Confidence::kLow);
  evidence = Proven();
  evidence.rows_failed = true;
  EXPECT_EQ(JudgeConfidence(evidence).LowestOf(kSmallestLimits), Confidence::kLow);
}

// What an evidence lacks for high, and how low that makes one of the two numbers.
struct Lowered {
  const char* by;
  void (*lacks)(ConfidenceEvidence& evidence);
  ResourceKind kind;
  Confidence confidence;
};

const Lowered kLowered[] = {
    {"few requests bound a rare kill too loosely", [](auto& e) { e.requests = 2999; },
     ResourceKind::kMemory, Confidence::kMedium},
    {"a noisy host", [](auto& e) { e.noisy = true; }, ResourceKind::kCpu, Confidence::kLow},
    {"memory that grows with requests", [](auto& e) { e.trend = MemoryTrend::kGrowing; },
     ResourceKind::kMemory, Confidence::kLow},
    {"memory that grows with distinct rows", [](auto& e) { e.grows_with_inputs = true; },
     ResourceKind::kMemory, Confidence::kLow},
    {"a limit that noise raised", [](auto& e) { e.raised_by_noise = {ResourceKind::kMemory}; },
     ResourceKind::kMemory, Confidence::kLow},
    {"a kill with as much memory", [](auto& e) { e.killed = true; }, ResourceKind::kMemory,
     Confidence::kLow},
    {"files that are read back", [](auto& e) { e.reads_pages_back = true; }, ResourceKind::kMemory,
     Confidence::kMedium},
    {"a limit that a few requests refused", [](auto& e) { e.cpu_in_doubt = Cores(0.4); },
     ResourceKind::kCpu, Confidence::kMedium},
    {"a p99 that a few requests decided",
     [](auto& e) {
       e.tails_in_doubt = {8, 897};
     },
     ResourceKind::kCpu, Confidence::kMedium},
    {"a response cache", [](auto& e) { e.from_cache = true; }, ResourceKind::kCpu,
     Confidence::kMedium},
};

TEST(ConfidenceTest, OfTheOtherNumberStaysHighWhereOneIsLowered) {
  for (const Lowered& lowered : kLowered) {
    ConfidenceEvidence evidence = Proven();
    lowered.lacks(evidence);
    const ConfidenceLabels labels = JudgeConfidence(evidence);
    for (const ResourceKind kind : {ResourceKind::kCpu, ResourceKind::kMemory}) {
      EXPECT_EQ(labels.Of(kind).confidence,
                kind == lowered.kind ? lowered.confidence : Confidence::kHigh)
          << lowered.by;
    }
    EXPECT_EQ(labels.LowestOf(kSmallestLimits), lowered.confidence) << lowered.by;
  }
}

TEST(ConfidenceTest, IsMediumForScatteredLatenciesOrTooFewRequests) {
  ConfidenceEvidence evidence = Proven();
  evidence.latency_spread = 0.08;
  EXPECT_EQ(JudgeConfidence(evidence).Of(ResourceKind::kCpu).confidence, Confidence::kMedium);
  evidence = Proven();
  evidence.enough_requests = false;
  EXPECT_EQ(JudgeConfidence(evidence).LowestOf(kSmallestLimits), Confidence::kMedium);
}

TEST(ConfidenceTest, SaysOfEachNumberWhatKeepsItFromBeingSurer) {
  ConfidenceEvidence evidence = Proven();
  evidence.noisy = true;
  evidence.requests = 1611;
  const ConfidenceLabels labels = JudgeConfidence(evidence);
  EXPECT_EQ(labels.Of(ResourceKind::kCpu).because,
            "the host was busy with other work, or its speed changed: `mlprof profile rerun NAME "
            "--when-quiet` asks again once nothing else runs, or after an hour");
  EXPECT_EQ(labels.Of(ResourceKind::kMemory).because,
            "1611 requests met no kill, where 3000 show that it is rare: --soak SECONDS serves "
            "more");
}

TEST(ConfidenceTest, NamesAllThatKeepsANumberWhereItIs) {
  ConfidenceEvidence evidence = Proven();
  evidence.passes = 2;
  evidence.latency_spread = 0.08;
  evidence.start_spread = 0.12;
  const ConfidenceLabels labels = JudgeConfidence(evidence);
  EXPECT_EQ(labels.Of(ResourceKind::kCpu).because,
            "only 2 fresh containers held it; the containers' mean latencies differ by 16%");
  EXPECT_EQ(
      labels.Of(ResourceKind::kMemory).because,
      "only 2 fresh containers held it; the most that a start took lies 12% of the need above "
      "the usual");
}

TEST(ConfidenceTest, OffersNoSoakWhereRowsComeFromACache) {
  ConfidenceEvidence evidence = Proven();
  evidence.from_cache = true;
  evidence.requests = 240;
  EXPECT_EQ(JudgeConfidence(evidence).Of(ResourceKind::kMemory).because,
            "240 requests met no kill, where 3000 show that it is rare");
}

TEST(ConfidenceTest, SaysWhatASureNumberRestsOn) {
  const ConfidenceLabels labels = JudgeConfidence(Proven());
  EXPECT_EQ(labels.Of(ResourceKind::kCpu).because,
            "3 fresh containers held it, and their mean latencies differ by no more than 10%");
  EXPECT_EQ(labels.Of(ResourceKind::kMemory).because,
            "3 fresh containers held it, 3000 requests met no kill, and memory stays flat");
}

TEST(ConfidenceTest, OfWhatIsNotProvenSaysWhichNumberFellShort) {
  UnprovenEvidence evidence;
  evidence.noisy = true;
  evidence.short_of_cpu = 3;
  evidence.content_with_memory = 2;
  const ConfidenceLabels labels = JudgeUnproven(evidence);
  const ConfidenceLabel cpu = labels.Of(ResourceKind::kCpu);
  EXPECT_EQ(cpu.confidence, Confidence::kLow);
  EXPECT_THAT(cpu.because, HasSubstr("containers; 3 tries with as much or less fell short of it;"));
  EXPECT_THAT(cpu.because, HasSubstr("--when-quiet"));
  const ConfidenceLabel memory = labels.Of(ResourceKind::kMemory);
  EXPECT_EQ(memory.confidence, Confidence::kMedium);
  EXPECT_THAT(memory.because, HasSubstr("containers; 2 tries with it fell short of CPU alone"));
  EXPECT_EQ(memory.because.find("--when-quiet"), std::string::npos);
  EXPECT_EQ(labels.LowestOf(kSmallestLimits), Confidence::kLow);
}

TEST(ConfidenceTest, OfMemoryThatIsNotProvenIsLowUnlessTwoTriesWereContentWithIt) {
  const auto of_memory = [](auto change) {
    UnprovenEvidence evidence;
    evidence.content_with_memory = 2;
    change(evidence);
    return JudgeUnproven(evidence).Of(ResourceKind::kMemory);
  };
  EXPECT_EQ(of_memory([](auto&) {}).confidence, Confidence::kMedium);
  const auto short_of_it = of_memory([](auto& e) { e.short_of_memory = 1; });
  EXPECT_EQ(short_of_it.confidence, Confidence::kLow);
  EXPECT_THAT(short_of_it.because, HasSubstr("1 try with it fell short of it"));
  EXPECT_EQ(of_memory([](auto& e) { e.grows = true; }).confidence, Confidence::kLow);
  EXPECT_EQ(of_memory([](auto& e) { e.rows_failed = true; }).confidence, Confidence::kLow);
  EXPECT_EQ(of_memory([](auto& e) { e.content_with_memory = 1; }).confidence, Confidence::kLow);
  EXPECT_EQ(of_memory([](auto& e) { e.content_with_memory = 0; }).because,
            "it is not proven in three fresh containers");
}

TEST(ConfidenceTest, IsLowOfEveryResourceForAReasonThatTouchesAll) {
  const ConfidenceLabels labels = UnsureBecause("it was not run");
  for (const ResourceKind kind : kResources) {
    EXPECT_EQ(labels.Of(kind).confidence, Confidence::kLow);
    EXPECT_EQ(labels.Of(kind).because, "it was not run");
  }
}

TEST(ConfidenceTest, HalfRangeIsRelativeToTheMean) {
  const std::array<double, 3> values = {9, 10, 11};
  EXPECT_DOUBLE_EQ(HalfRange(values), 0.1);
  EXPECT_EQ(HalfRange(std::span(values).first(1)), 0);
}

}  // namespace
}  // namespace mlprof::server
