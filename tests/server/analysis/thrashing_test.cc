#include "server/analysis/thrashing.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

// Ten a second, each with so much used and so many pages read back since the one before.
std::vector<Sample> Samples(int count, Bytes usage, std::int64_t pages) {
  std::vector<Sample> samples(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Sample& sample = samples[static_cast<std::size_t>(i)];
    sample.at = std::chrono::milliseconds(100 * i);
    sample.usage = usage;
    sample.file_refaults = pages * i;
  }
  return samples;
}

TEST(ThrashingTest, IsAFullLimitWhoseFilesAreReadBack) {
  const auto found = FindThrashing(Samples(100, MiB(63), 500), MiB(64));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->pages_per_second, 5000, 1);
  EXPECT_EQ(Sentence(*found),
            "it filled its memory limit of 64 MiB and read its files back, 5000 pages a second");
}

TEST(ThrashingTest, IsNotALimitWithRoomNorOneThatIsQuiet) {
  EXPECT_FALSE(FindThrashing(Samples(100, MiB(50), 500), MiB(64)));
  EXPECT_FALSE(FindThrashing(Samples(100, MiB(64), 1), MiB(64)));
}

TEST(ThrashingTest, FilesThatAreReadForTheFirstTimeAreNone) {
  auto samples = Samples(100, MiB(64), 0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].major_faults = 500 * static_cast<std::int64_t>(i);
  }
  EXPECT_FALSE(FindThrashing(samples, MiB(64)));
}

TEST(ThrashingTest, GetsNowhereWhereItReadsBackAllTheTimeForTwoSecondsAndMore) {
  EXPECT_TRUE(GetsNowhere(Samples(30, MiB(64), 2000), MiB(64)));
  EXPECT_FALSE(GetsNowhere(Samples(15, MiB(64), 2000), MiB(64)));
  // A slower disk may bring what is missing yet.
  EXPECT_FALSE(GetsNowhere(Samples(30, MiB(64), 500), MiB(64)));
}

TEST(ThrashingTest, IsNotToldOfAMoment) {
  EXPECT_FALSE(FindThrashing({}, MiB(64)));
  EXPECT_FALSE(FindThrashing(Samples(10, MiB(64), 500), MiB(64)));
}

}  // namespace
}  // namespace mlprof::server
