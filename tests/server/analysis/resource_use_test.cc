#include "server/analysis/resource_use.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;

Sample At(milliseconds at, milliseconds cpu, Bytes memory = MiB(10)) {
  Sample sample;
  sample.at = at;
  sample.cpu_time = cpu;
  sample.unreclaimable = memory;
  return sample;
}

TEST(ResourceUseTest, FindsTheLargestMeanOverOneSecond) {
  std::vector<Sample> samples;
  // Two idle seconds, one second of 0.8 cores, two idle seconds.
  for (int ms = 0; ms <= 5000; ms += 100) {
    const int busy = std::min(std::max(ms - 2000, 0), 1000);
    samples.push_back(At(milliseconds(ms), milliseconds(busy * 8 / 10)));
  }
  const ResourceUse use = Summarize(samples);
  EXPECT_NEAR(*use.max_cores, 0.8, 1e-9);
  EXPECT_NEAR(*use.mean_cores, 0.16, 1e-9);
  EXPECT_NEAR(*use.cpu_seconds, 0.8, 1e-9);
}

TEST(ResourceUseTest, HasNoLargestSecondOfAShorterStretch) {
  const std::vector<Sample> samples = {At(milliseconds(0), milliseconds(0)),
                                       At(milliseconds(900), milliseconds(900))};
  EXPECT_FALSE(Summarize(samples).max_cores);
  EXPECT_NEAR(*Summarize(samples).mean_cores, 1.0, 1e-9);
}

TEST(ResourceUseTest, MakesNoNegativeRateOfARecreatedCounter) {
  const std::vector<Sample> samples = {
      At(milliseconds(0), milliseconds(5000)), At(milliseconds(1000), milliseconds(6000)),
      At(milliseconds(1100), milliseconds(0)), At(milliseconds(2100), milliseconds(500))};
  const ResourceUse use = Summarize(samples);
  EXPECT_NEAR(*use.cpu_seconds, 1.5, 1e-9);
  EXPECT_NEAR(*use.max_cores, 1.0, 1e-9);
}

TEST(ResourceUseTest, KeepsPeaksAndTheShareOfThrottledPeriods) {
  std::vector<Sample> samples = {At(milliseconds(0), milliseconds(0), MiB(10)),
                                 At(milliseconds(10), milliseconds(1), MiB(70)),
                                 At(milliseconds(20), milliseconds(2), MiB(20))};
  samples[2].periods = 10;
  samples[2].throttled_periods = 4;
  const ResourceUse use = Summarize(samples);
  EXPECT_EQ(use.peak_unreclaimable, MiB(70));
  EXPECT_NEAR(*use.throttled_share, 0.4, 1e-9);
}

// Every tenth sample tells how long threads have waited.
std::vector<Sample> Waiting(double threads, double cores) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 100; ++i) {
    samples.push_back(At(milliseconds(10 * i), milliseconds(static_cast<int>(10 * i * cores))));
    if (i % 10 == 0) {
      samples.back().run_queue_wait = milliseconds(static_cast<int>(10 * i * threads));
    }
  }
  return samples;
}

TEST(ResourceUseTest, TheMedianOfMemoryIsNotThatOfAShortPeak) {
  std::vector<Sample> samples;
  for (int i = 0; i < 9; ++i) {
    samples.push_back(At(milliseconds(10 * i), milliseconds(0), MiB(i == 4 ? 600 : 400)));
  }
  EXPECT_EQ(MedianUnreclaimable(samples), MiB(400));
  EXPECT_FALSE(MedianUnreclaimable({}));
}

TEST(ResourceUseTest, CountsTheThreadsThatWaitForACore) {
  EXPECT_NEAR(*Summarize(Waiting(0.3, 0.7)).waiting_threads, 0.3, 1e-9);
  EXPECT_FALSE(Summarize(std::span<const Sample>(Waiting(0.3, 0.7)).first(10)).waiting_threads);
}

TEST(ResourceUseTest, AFallingWaitIsAnotherContainers) {
  std::vector<Sample> samples = Waiting(0.2, 0.5);
  const auto first_of_the_other = *samples[50].run_queue_wait;
  for (std::size_t i = 50; i < samples.size(); i += 10) {
    *samples[i].run_queue_wait -= first_of_the_other;
  }
  EXPECT_NEAR(*Summarize(samples).waiting_threads, 0.2, 1e-9);
}

TEST(CoresWithoutWaitingTest, GivesBackWhatTheWaitTookFromTheRowsInFlight) {
  // A row a time that computes all along, kept from its core 30% of the time.
  EXPECT_NEAR(*CoresWithoutWaiting(Summarize(Waiting(0.3, 0.7)), 1), 1.0, 1e-9);
  EXPECT_NEAR(*CoresWithoutWaiting(Summarize(Waiting(0.6, 1.4)), 2), 2.0, 1e-9);
  EXPECT_NEAR(*CoresWithoutWaiting(Summarize(Waiting(0, 0.4)), 1), 0.4, 1e-9);
  EXPECT_NEAR(*CoresWithoutWaiting(Summarize(Waiting(2, 1.0)), 1), 10.0, 1e-9);
  EXPECT_FALSE(CoresWithoutWaiting(ResourceUse(), 1));
}

TEST(CoresWithoutWaitingTest, RowsThatQueueBehindAWorkerWaitWithIt) {
  EXPECT_NEAR(*CoresWithoutWaiting(Summarize(Waiting(1.0, 1.0)), 3), 2.0, 1e-9);
}

TEST(CoresWithoutWaitingTest, SaysNothingWhereTheQuotaMadeThreadsWait) {
  ResourceUse use = Summarize(Waiting(0.3, 0.7));
  use.throttled_share = 0.02;
  EXPECT_FALSE(CoresWithoutWaiting(use, 1));
}

TEST(ResourceUseTest, SaysNothingOfNoSamples) {
  const ResourceUse use = Summarize({});
  EXPECT_FALSE(use.mean_cores);
  EXPECT_FALSE(use.peak_unreclaimable);
  EXPECT_FALSE(use.throttled_share);
}

TEST(BetweenTest, TakesBothEnds) {
  const std::vector<Sample> samples = {At(milliseconds(0), {}), At(milliseconds(10), {}),
                                       At(milliseconds(20), {}), At(milliseconds(30), {})};
  EXPECT_EQ(Between(samples, milliseconds(10), milliseconds(20)).size(), 2U);
  EXPECT_TRUE(Between(samples, milliseconds(31), milliseconds(40)).empty());
}

}  // namespace
}  // namespace mlprof::server
