#include "server/analysis/memory_before_death.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

// One each 100 ms.
std::vector<Sample> SamplesOfMib(const std::vector<int>& levels) {
  std::vector<Sample> samples;
  for (const int level : levels) {
    Sample sample;
    sample.at = std::chrono::milliseconds(100 * samples.size());
    sample.unreclaimable = MiB(level);
    samples.push_back(sample);
  }
  return samples;
}

TEST(MemoryBeforeDeathTest, TellsTheLevelAndTheRise) {
  const auto before = BeforeDeath(SamplesOfMib({100, 100, 100, 250, 400, 490}));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->level, MiB(490));
  EXPECT_EQ(before->rise, MiB(390));
  EXPECT_EQ(before->within, std::chrono::milliseconds(300)) << "since it was last that low";
  EXPECT_EQ(Sentence(*before, before->level),
            "it held 490 MiB at the end, 390 MiB of them since 0.30 s before");
}

TEST(MemoryBeforeDeathTest, TakesThePeakThatTheSampleBehindTheKillTells) {
  auto samples = SamplesOfMib({100, 100, 20, 10});
  samples[2].oom_kills = samples[3].oom_kills = 1;
  samples[2].peak_unreclaimable = MiB(500);
  const auto before = BeforeDeath(samples);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->level, MiB(500));
  EXPECT_EQ(before->rise, MiB(400));
}

TEST(MemoryBeforeDeathTest, LooksBackTwoSecondsOnly) {
  std::vector<int> levels(40, 300);
  levels.front() = 10;
  levels.push_back(310);
  const auto before = BeforeDeath(SamplesOfMib(levels));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->rise, MiB(10));
}

TEST(MemoryBeforeDeathTest, AModelThatStoodAtItsLimitDidNotRise) {
  const auto before = BeforeDeath(SamplesOfMib({300, 300, 300}));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->rise, Bytes());
  EXPECT_EQ(Sentence(*before, before->level),
            "it held 300 MiB at the end, and as much 0.10 s before");
}

TEST(MemoryBeforeDeathTest, OfTheKillsOwnSampleAloneNoRiseIsTold) {
  auto samples = SamplesOfMib({100, 100, 20});
  samples[2].at = std::chrono::seconds(9);
  samples[2].oom_kills = 1;
  samples[2].peak_unreclaimable = MiB(500);
  EXPECT_EQ(Sentence(*BeforeDeath(samples), MiB(512)), "it held 500 MiB at the end");
}

TEST(MemoryBeforeDeathTest, WhatRoseBetweenTwoSamplesWasNotHeld) {
  EXPECT_EQ(Sentence(*BeforeDeath(SamplesOfMib({1, 1, 1})), MiB(128)),
            "it was last seen with 1 MiB, and rose to the limit faster than it was looked at");
  auto full_of_files = SamplesOfMib({60, 60, 60});
  full_of_files.back().usage = MiB(126);
  EXPECT_EQ(Sentence(*BeforeDeath(full_of_files), MiB(128)),
            "it held 60 MiB at the end, and as much 0.10 s before");
}

TEST(MemoryBeforeDeathTest, OfNoSamplesNothingIsTold) { EXPECT_FALSE(BeforeDeath({})); }

}  // namespace
}  // namespace mlprof::server
