// A profile that waits for a quiet host.
#include "server/profiling/phases/quiet.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kOtherWork = 1.5;  // cores

// Of a machine on which other work runs until `over`.
HostLoadReader BusyUntil(const FakeRuntime& runtime, std::chrono::nanoseconds over) {
  return [&runtime, over]() -> Result<HostLoad> {
    HostLoad load;
    load.at = runtime.clock().Now();
    const auto busy = std::min(load.at, over);
    load.busy_seconds = kOtherWork * std::chrono::duration<double>(busy).count();
    return load;
  };
}

std::chrono::nanoseconds Waited(std::chrono::nanoseconds over) {
  LabBench bench;
  bench.runtime.host_load = BusyUntil(bench.runtime, bench.runtime.clock().Now() + over);
  auto idle = bench.lab.Launch({bench.lab.ceiling(), bench.setup, bench.lab.NextSeed(),
                                PageCache::kAsItIs, Use::kObjective});
  EXPECT_TRUE(idle);
  const auto began = bench.lab.clock().Now();
  AwaitQuiet(bench.lab, **idle);
  (*idle)->Close();
  EXPECT_FALSE(bench.lab.host().noisy()) << "what it waited for is not held against the run";
  return bench.lab.clock().Now() - began;
}

TEST(AwaitQuietTest, WaitsForAnotherTwoStretchesOfQuiet) {
  EXPECT_LT(Waited(std::chrono::seconds(0)), std::chrono::seconds(7));
  const auto waited = Waited(std::chrono::minutes(10));
  EXPECT_GT(waited, std::chrono::minutes(10));
  EXPECT_LT(waited, std::chrono::minutes(10) + std::chrono::seconds(10));
}

TEST(AwaitQuietTest, GoesOnAfterAnHour) {
  const auto waited = Waited(std::chrono::hours(5));
  EXPECT_GE(waited, std::chrono::hours(1));
  EXPECT_LT(waited, std::chrono::hours(1) + std::chrono::seconds(10));
}

}  // namespace
}  // namespace mlprof::server::phases
