#include "server/profiling/phases/tightness.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kRowMs = 2;  // of the imitated model, at full speed
constexpr DeviceMemory kDevices{GiB(6), 2};

Verification Verified(LabBench& bench, const Limits& limits) {
  return Verify(bench.lab, bench.MeasuredAt(kRowMs), limits, [](const Verification&) {});
}

Tightness Lowered(LabBench& bench, const Verification& verification) {
  return TestTightness(bench.lab, bench.MeasuredAt(kRowMs), verification, [](const Tightness&) {});
}

// `cost_ms`: CPU time of a request, by which a step of CPU in place is judged.
Verification VerifiedByCost(LabBench& bench, double cost_ms) {
  return Verify(bench.lab, bench.MeasuredAt(kRowMs, cost_ms), {Cores(1.0), MiB(224)},
                [](const Verification&) {});
}

TEST(TightnessTest, LowersMemoryAndCpuAndNothingElseWhereThereIsNoDevice) {
  LabBench bench;
  const Verification verified = Verified(bench, {Cores(1.0), MiB(224)});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  const Tightness lowered = Lowered(bench, verified);
  EXPECT_EQ(lowered.tight(), true);
  ASSERT_EQ(lowered.failed.size(), 2U);
  EXPECT_EQ(lowered.failed[0].shortage, ResourceKind::kMemory);
  EXPECT_EQ(lowered.failed[1].shortage, ResourceKind::kCpu);
  for (const LaunchRequest& launch : bench.runtime.launches()) {
    EXPECT_EQ(launch.limits.device_memory(), std::nullopt);
  }
}

TEST(TightnessTest, NeedsNoContainersForCpuWhereTheLastOfTheProofWasTooSlowWithAStepLess) {
  LabBench bench;
  const Verification verified = VerifiedByCost(bench, kRowMs);
  ASSERT_TRUE(verified.cpu_step);
  EXPECT_EQ(verified.cpu_step->failures, 2);
  const auto before = bench.runtime.launches().size();
  const Tightness lowered = Lowered(bench, verified);
  EXPECT_EQ(lowered.tight(), true);
  const auto& launches = bench.runtime.launches();
  EXPECT_TRUE(std::all_of(launches.begin() + static_cast<std::ptrdiff_t>(before), launches.end(),
                          [](const auto& launch) { return launch.limits.cpu() == Cores(1.0); }));
}

TEST(TightnessTest, TriesAStepOfCpuInFreshContainersWhereItHeldInPlace) {
  FakeModel model;
  model.cpu_per_row = std::chrono::microseconds(200);
  model.sleep_per_row = std::chrono::microseconds(1800);
  LabBench bench(model);
  const Verification verified = VerifiedByCost(bench, 0.2);
  ASSERT_TRUE(verified.cpu_step);
  EXPECT_EQ(verified.cpu_step->failures, 0);
  EXPECT_GT(verified.cpu_step->requests, 0);
  EXPECT_LT(Lowered(bench, verified).proof.limits.cpu(), Cores(1.0));
}

TEST(TightnessTest, BelievesWhatFreshContainersHeldBeforeAStepInPlace) {
  LabBench bench;
  Verification verified = VerifiedByCost(bench, kRowMs);
  ASSERT_TRUE(verified.proof && verified.cpu_step);
  // On the way to the answer two of three containers held the step.
  FailedTry third{verified.cpu_step->limits, ResourceKind::kCpu};
  third.passes = 2;
  verified.failed.push_back(third);
  EXPECT_EQ(Lowered(bench, verified).tight(), false);
}

TEST(TightnessTest, AsksOnceMoreOfAStepThatHeldBeforeAndFailedToo) {
  const auto launches_below = [](bool failed) {
    LabBench bench;
    Verification verified = Verified(bench, {Cores(1.0), MiB(256)});
    EXPECT_TRUE(verified.proof) << verified.why_not;
    const Limits step = verified.proof->limits.With(*OneStepLower(verified.proof->limits.memory()));
    verified.step_tried = step.memory();
    verified.step_held = true;
    if (failed) verified.failed.push_back({step, ResourceKind::kMemory});
    const auto before = bench.runtime.launches().size();
    Lowered(bench, verified);
    const auto& launches = bench.runtime.launches();
    return std::count_if(
        launches.begin() + static_cast<std::ptrdiff_t>(before), launches.end(),
        [&](const LaunchRequest& launch) { return launch.limits.memory() == step.memory(); });
  };
  EXPECT_EQ(launches_below(false), 0);
  EXPECT_GE(launches_below(true), 1);
}

TEST(TightnessTest, AsksOnceOfMemoryThatHoldsAndLeavesNoRoom) {
  constexpr Limits kAnswer{Cores(1.0), MiB(256)};
  const Bytes step = OneStepLower(kAnswer.memory())->bytes();
  FakeModel model;
  model.serving_peak = Scale(step, 0.97);
  LabBench bench(model);
  const Verification verified = Verified(bench, kAnswer);
  ASSERT_TRUE(verified.proof) << verified.why_not;
  ASSERT_EQ(verified.proof->limits, kAnswer);
  const Tightness lowered = Lowered(bench, verified);
  const bool* tight = lowered.tight_each.Find(ResourceKind::kMemory);
  ASSERT_NE(tight, nullptr);
  EXPECT_FALSE(*tight);
  EXPECT_EQ(lowered.proof.limits.memory(), kAnswer.memory());
  const auto launches = bench.runtime.launches();
  EXPECT_EQ(std::ranges::count(launches, step,
                               [](const LaunchRequest& launch) { return launch.limits.memory(); }),
            1);
}

TEST(TightnessTest, AsksAStepForAsManyRequestsAsTheLatencyTakesThatIsAskedFor) {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(20);
  LabBench bench(model);
  bench.workload.objective.latency_ms = {{"p95", 1000}};
  Yardstick yardstick = bench.MeasuredAt(20);
  const Verification verified =
      Verify(bench.lab, yardstick, {Cores(0.3), MiB(224)}, [](const Verification&) {});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  const std::size_t before = bench.journal.trials.size();
  TestTightness(bench.lab, yardstick, verified, [](const Tightness&) {});
  ASSERT_GT(bench.journal.trials.size(), before);
  for (std::size_t i = before; i < bench.journal.trials.size(); ++i) {
    EXPECT_LT(bench.journal.trials[i].measurements.total_queries, 299);
  }
}

TEST(TightnessTest, TellsOfAKillInPlaceAtLimitsThatBecameTheAnswer) {
  FakeModel model;
  model.cpu_per_row = std::chrono::microseconds(200);
  model.sleep_per_row = std::chrono::microseconds(1800);
  LabBench bench(model);
  Verification verified = VerifiedByCost(bench, 0.2);
  ASSERT_TRUE(verified.cpu_step);
  verified.cpu_step->limits.Set(Cores(0.7));
  verified.cpu_step->killed = true;
  const Tightness lowered = Lowered(bench, verified);
  EXPECT_EQ(lowered.proof.limits.cpu(), Cores(0.7));
  EXPECT_TRUE(lowered.killed);
}

TEST(TightnessTest, CountsTheRequestsThatItsMemoryBoreWithLessCpu) {
  LabBench bench;
  const Verification verified = Verified(bench, {Cores(1.0), MiB(224)});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  const Tightness lowered = Lowered(bench, verified);
  ASSERT_EQ(lowered.proof.limits, (Limits{Cores(1.0), MiB(224)}));
  std::int64_t with_less_cpu = 0;
  for (const Trial& trial : bench.journal.trials) {
    if (trial.limits.cpu() < Cores(1.0)) with_less_cpu += trial.measurements.success_queries;
  }
  EXPECT_GT(with_less_cpu, 0);
  EXPECT_EQ(lowered.requests, with_less_cpu);
  EXPECT_FALSE(lowered.killed);
}

TEST(TightnessTest, TellsOfAKillThatMetTheAnswersMemoryWithLessCpu) {
  FakeModel model;
  const FakeRuntime* runtime = nullptr;
  model.rise = [&](const std::string&) {
    const bool less_cpu = runtime->cpu_in_force() < Cores(1.0);
    return less_cpu ? MiB(100) : Bytes();
  };
  LabBench bench(model);
  runtime = &bench.runtime;
  const Verification verified = Verified(bench, {Cores(1.0), MiB(224)});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  const Tightness lowered = Lowered(bench, verified);
  EXPECT_TRUE(lowered.killed);
  EXPECT_EQ(lowered.requests, 0);
}

TEST(TightnessTest, TakesCpuForShortWhereProvenMemoryReadsAFewPagesBack) {
  FakeModel model;
  model.pages_read_back = 5;
  LabBench bench(model);
  const Verification verified = Verified(bench, {Cores(1.0), MiB(224)});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  // Of fresh containers alone.
  Verification verified_only = verified;
  verified_only.cpu_step.reset();
  // On a host as it was; on one that became slower, slow says nothing.
  for (const double cost_before : {0.002, 0.0015}) {
    Yardstick yardstick = bench.MeasuredAt(kRowMs);
    Look look;
    for (std::uint32_t i = 0; i < 100; ++i) look.visits.push_back({i % 20, 2000});
    look.requests_per_second = 500;
    look.cpu_seconds_per_query = cost_before;
    yardstick.reference = WithLook(yardstick.reference, look);
    const Tightness lowered =
        TestTightness(bench.lab, yardstick, verified_only, [](const Tightness&) {});
    EXPECT_EQ(lowered.tight().value_or(false), cost_before == 0.002);
  }
}

TEST(TightnessTest, GivesEveryContainerItsDevicesAndLeavesTheirCapToItsOwnSearch) {
  LabBench bench({}, 20, {Cores(2.0), GiB(4), {GiB(16), 2}});
  const Verification verified = Verified(bench, {Cores(1.0), MiB(224), kDevices});
  ASSERT_TRUE(verified.proof) << verified.why_not;
  const Tightness lowered = Lowered(bench, verified);
  EXPECT_EQ(lowered.proof.limits.device_memory(), kDevices);
  EXPECT_EQ(lowered.tight(), true);
  for (const LaunchRequest& launch : bench.runtime.launches()) {
    EXPECT_EQ(launch.limits.device_memory(), kDevices);
  }
}

}  // namespace
}  // namespace mlprof::server::phases
