// Rows that fail at limits alone, where nothing says why.
#include "server/profiling/phases/unexplained_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "tests/server/profiling/heap_model.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr Limits kFirst{Cores(0.6), MiB(352)};
// No step less than kFirst leaves room for it.
constexpr Bytes kPeak = MiB(320);

// A row that it refuses has 500, and no word of why.
FakeModel SilentHeap() {
  FakeModel model = AQuarterForTheHeap();
  model.full_heap_words.clear();
  return model;
}

// With a latency that 0.6 cores hold, although the quota stops them.
Verification Verified(LabBench& bench, Bytes at_ceiling, const Limits& first = kFirst) {
  bench.workload.objective.latency_ms = {{"p95", 50}};
  Yardstick yardstick = bench.MeasuredAt(2);
  yardstick.at_ceiling = {at_ceiling, 0.002};
  return Verify(bench.lab, yardstick, first, [](const Verification&) {});
}

std::ptrdiff_t WithAllMemory(const LabBench& bench) {
  const auto launches = bench.runtime.launches();
  return std::ranges::count_if(launches, [](const LaunchRequest& one) {
    return one.limits.memory() == LabBench::kCeiling.memory();
  });
}

// Served, but for what `fails` says.
struct Failing {
  using Fails = std::function<bool(const FakeRuntime&)>;

  explicit Failing(Fails fails) : bench(Model(std::move(fails), *this)) {}

  static FakeModel Model(Fails fails, Failing& self) {
    FakeModel model;
    model.serving_peak = kPeak;
    model.status = [fails = std::move(fails), &self](const std::string&) {
      return fails(self.bench.runtime) ? 500 : 200;
    };
    return model;
  }

  LabBench bench;
};

TEST(UnexplainedErrorsTest, AreShortOfMemoryWhereAllOfItServesThem) {
  for (const Cores cpu : {Cores(0.6), Cores(1.0)}) {  // which the quota stops, or does not
    LabBench bench(SilentHeap());
    const Verification verified = Verified(bench, MiB(316), kFirst.With(cpu));
    ASSERT_TRUE(verified.proof) << verified.why_not;
    ASSERT_TRUE(verified.errors_asked);
    EXPECT_EQ(verified.errors_asked->by_memory, true);
    EXPECT_EQ(verified.errors_asked->times, 1);
    EXPECT_EQ(verified.limits.cpu(), cpu);
    EXPECT_GE(verified.limits.memory(), MiB(440));
    EXPECT_LE(verified.limits.memory(), MiB(496));
    for (const FailedTry& attempt : verified.failed) {
      EXPECT_EQ(attempt.shortage, ResourceKind::kMemory);
    }
  }
}

TEST(UnexplainedErrorsTest, AreShortOfCpuWhereAllMemoryDoesNotServeThem) {
  Failing sheds([](const FakeRuntime& runtime) { return runtime.cpu_in_force() < Cores(0.9); });
  const Verification verified = Verified(sheds.bench, kPeak);
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.limits.cpu(), Cores(0.9));
  EXPECT_EQ(verified.limits.memory(), kFirst.memory());
  ASSERT_TRUE(verified.errors_asked);
  EXPECT_EQ(verified.errors_asked->by_memory, false);
  EXPECT_EQ(WithAllMemory(sheds.bench), 2) << "of three limits that were too low";
}

TEST(UnexplainedErrorsTest, AreChanceWhereTheSameLimitsServeThemNext) {
  Failing once([](const FakeRuntime& runtime) { return runtime.launches().size() == 1; });
  const Verification verified = Verified(once.bench, kPeak);
  ASSERT_TRUE(verified.proof) << verified.why_not;
  EXPECT_EQ(verified.limits, kFirst);
  EXPECT_TRUE(verified.failed.empty());
  ASSERT_TRUE(verified.errors_asked);
  EXPECT_EQ(verified.errors_asked->by_memory, false);
}

TEST(UnexplainedErrorsTest, AreNotAskedAboutWhereTheSameLimitsServedThemBefore) {
  Failing later([](const FakeRuntime& runtime) { return runtime.launches().size() == 2; });
  const Verification verified = Verified(later.bench, kPeak);
  ASSERT_FALSE(verified.failed.empty());
  EXPECT_EQ(verified.failed.front().limits, kFirst);
  EXPECT_EQ(verified.failed.front().shortage, ResourceKind::kCpu) << "the quota stopped it";
  EXPECT_FALSE(verified.errors_asked);
  EXPECT_EQ(WithAllMemory(later.bench), 0);
}

TEST(UnexplainedErrorsTest, AreNotAskedAboutWhereTheBudgetHoldsNoProofBehindIt) {
  LabBench bench(SilentHeap());
  bench.runtime.PassTime(bench.lab.budget().Left() - std::chrono::seconds(8));
  const Verification verified = Verified(bench, MiB(316));
  EXPECT_FALSE(verified.errors_asked);
  EXPECT_EQ(WithAllMemory(bench), 0);
  EXPECT_TRUE(verified.finished) << "its limits are told, with why they are not proven";
}

}  // namespace
}  // namespace mlprof::server::phases
