// Models that scale over cores, on hosts of more and fewer of them.
#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

// 2 ms in one thread and 18 shared out: 4 ms with 9 cores, 2.3 with 64.
FakeModel ScalesOverCores() {
  FakeModel model;
  model.cpu_per_row = std::chrono::milliseconds(20);
  model.threads = 64;
  model.parallel_share = 0.9;
  return model;
}

Profile ProfileOn(int cores, const Objective& objective = {}) {
  ProfilingBench bench(ScalesOverCores());
  bench.runtime.SetCores(cores);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.objective = objective;
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

TEST(CpuKneeTest, IsTheModelsWhateverTheHostHas) {
  for (const int cores : {16, 64}) {
    const Profile profile = ProfileOn(cores);
    ASSERT_TRUE(profile.recommendation) << (profile.error ? profile.error->message : "");
    const Recommendation& answer = *profile.recommendation;
    EXPECT_TRUE(answer.verified);
    // 0.95 of the throughput with 9 cores: 18 ms of work in 4 / 0.95 - 2 ms.
    EXPECT_NEAR(answer.requested.cpu().value(), 8.2, 0.15) << cores;
    EXPECT_TRUE(HasWarning(profile, "scalesOverCores"));
  }
}

TEST(CpuKneeTest, KeepsTheWholeCurve) {
  const Profile profile = ProfileOn(64);
  ASSERT_TRUE(profile.recommendation);
  const std::vector<CpuPoint>& curve = profile.recommendation->curve;
  ASSERT_FALSE(curve.empty());
  EXPECT_GE(curve.back().cpu, Cores(32.0));
  EXPECT_LT(curve.front().cpu, Cores(9.0));
  EXPECT_EQ(profile.findings.cpu->points, curve);
  // 16 cores are too few for what all 64 give, and more than is asked for.
  for (const CpuPoint& point : curve) {
    EXPECT_EQ(point.passed, point.cpu >= profile.recommendation->requested.cpu())
        << point.cpu.value();
  }
}

TEST(CpuKneeTest, IsNoneOfTwoCores) {
  const Profile profile = ProfileOn(2);
  ASSERT_TRUE(profile.recommendation);
  EXPECT_GE(profile.recommendation->requested.cpu(), Cores(1.7));
  EXPECT_FALSE(HasWarning(profile, "scalesOverCores"));
}

TEST(CpuKneeTest, IsPassedWhereALatencyAsksForMore) {
  Objective objective;
  objective.latency_ms = {{"p95", 3}};
  const Profile profile = ProfileOn(64, objective);
  ASSERT_TRUE(profile.recommendation);
  EXPECT_GE(profile.recommendation->requested.cpu(), Cores(17.0));
  EXPECT_FALSE(HasWarning(profile, "scalesOverCores"));
}

}  // namespace
}  // namespace mlprof::server
