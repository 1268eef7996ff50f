// What is slow on a host that became slower, told from what a quota made slow by the quota's stops.
#include <gtest/gtest.h>

#include "server/profiling/phases/cpu_probe.h"
#include "server/profiling/phases/limited_run.h"
#include "tests/server/profiling/lab_bench.h"

namespace mlprof::server::phases {
namespace {

constexpr double kMsOnSlowerHost = 2;  // of a row of the imitated model

// Of a model whose rows took `ms_before`, all of it work, when the reference was taken, and take
// 2 ms now.
LimitedRun RunOnSlowerHost(LabBench& bench, double ms_before, Cores cpu) {
  const LimitedRunPlan plan{{cpu, MiB(300)},
                            TrialPurpose::kVerification,
                            {std::chrono::seconds(3), 59, std::chrono::seconds(5)}};
  auto run = RunAtLimits(bench.lab, bench.MeasuredAt(ms_before, ms_before), plan);
  EXPECT_TRUE(run) << "it ended";
  return run ? *std::move(run) : LimitedRun();
}

TEST(SlowerHostTest, TakesNoLookOnASlowerHostWhereTheQuotaStoppedItForLessThanItMay) {
  LabBench bench;
  const LimitedRun run = RunOnSlowerHost(bench, kMsOnSlowerHost / 1.2, Cores(0.97));
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_EQ(run.reference.looks.size(), 1U);
  EXPECT_TRUE(bench.host.noisy()) << "its speed is told all the same";
}

TEST(SlowerHostTest, LooksOnASlowerHostWhereTheQuotaStoppedItForLonger) {
  LabBench bench;
  const LimitedRun run = RunOnSlowerHost(bench, kMsOnSlowerHost / 1.2, Cores(0.94));
  EXPECT_FALSE(run.verdict.passed);
  EXPECT_EQ(run.reference.looks.size(), 2U);
  EXPECT_TRUE(bench.host.noisy());
}

// The two cores of the host stopped for a tenth of the time are one of them for a twentieth at the
// least.
TEST(SlowerHostTest, TakesNoLookWhereTheQuotaStoppedItForMoreThanAnyHostExcuses) {
  LabBench bench;
  const LimitedRun run = RunOnSlowerHost(bench, kMsOnSlowerHost / 1.2, Cores(0.88));
  EXPECT_FALSE(run.verdict.passed);
  EXPECT_EQ(run.reference.looks.size(), 1U);
}

TEST(SlowerHostTest, LooksOnAHostThatIsSlowerThanAnyBecomes) {
  LabBench bench;
  const LimitedRun run = RunOnSlowerHost(bench, kMsOnSlowerHost / 1.4, Cores(0.97));
  EXPECT_TRUE(run.verdict.passed) << run.verdict.sentence;
  EXPECT_EQ(run.reference.looks.size(), 2U) << "it may be the limit";
  EXPECT_TRUE(bench.host.noisy());
}

// Of a model that took a fifth less for a row, all of it work, when the reference was taken.
bool ProbeHoldsOnSlowerHost(Cores cpu) {
  LabBench bench;
  const Reference reference = bench.MeasuredAt(1.65, 1.65).reference;
  auto container = bench.lab.Launch(
      {bench.kCeiling, bench.setup, bench.lab.NextSeed(), PageCache::kCold, Use::kObjective});
  EXPECT_TRUE((*container)->Start());
  const CpuProbe probe{cpu, {std::chrono::seconds(3), 59, std::chrono::seconds(5)}};
  const auto probed =
      ProbeCpu(bench.lab, **container, bench.workload, probe, {reference, reference});
  (*container)->Close();
  return probed && probed->verdict.passed;
}

TEST(SlowerHostTest, ASearchHoldsALimitBesideTheSlowerHostWithoutALook) {
  EXPECT_TRUE(ProbeHoldsOnSlowerHost(Cores(0.97)));
  EXPECT_FALSE(ProbeHoldsOnSlowerHost(Cores(0.94)));
}

}  // namespace
}  // namespace mlprof::server::phases
