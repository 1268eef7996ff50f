#include "server/profiling/phases/hopeless_load.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kReferenceMs = 2;
constexpr std::size_t kLeast = 10;

ReplayResult Took(std::size_t requests, double ms) {
  ReplayResult sent;
  sent.requests.resize(requests);
  for (RequestRecord& request : sent.requests) {
    request.latency_us = static_cast<std::uint32_t>(1000 * ms);
  }
  return sent;
}

std::vector<Sample> ReadBack(std::int64_t pages) {
  std::vector<Sample> samples(2);
  samples.back().file_refaults = pages;
  return samples;
}

TEST(HopelessLoadTest, IsFarTooSlowThroughoutAndReadsItsFilesBack) {
  const LabBench bench;
  const Yardstick yardstick = bench.MeasuredAt(kReferenceMs);
  const ReplayResult slow = Took(kLeast, 100);
  EXPECT_TRUE(IsHopeless(yardstick, slow, ReadBack(100 * kLeast), kLeast));
  EXPECT_FALSE(IsHopeless(yardstick, slow, ReadBack(99 * kLeast), kLeast))
      << "short of CPU, perhaps";
  EXPECT_FALSE(IsHopeless(yardstick, Took(kLeast - 1, 100), ReadBack(100 * kLeast), kLeast))
      << "too few";
  EXPECT_FALSE(IsHopeless(yardstick, Took(kLeast, 5), ReadBack(100 * kLeast), kLeast))
      << "not that slow";
}

TEST(HopelessLoadTest, IsNoneWhereARowIsQuick) {
  const LabBench bench;
  ReplayResult sent = Took(kLeast, 100);
  sent.requests.back().latency_us = 2000;
  EXPECT_FALSE(IsHopeless(bench.MeasuredAt(kReferenceMs), sent, ReadBack(1'000'000), kLeast));
}

TEST(HopelessLoadTest, IsNoneWithinTheObjective) {
  LabBench bench;
  bench.workload.objective.latency_ms = {{"p95", 200}};
  EXPECT_FALSE(
      IsHopeless(bench.MeasuredAt(kReferenceMs), Took(kLeast, 100), ReadBack(1'000'000), kLeast));
}

}  // namespace
}  // namespace mlprof::server::phases
