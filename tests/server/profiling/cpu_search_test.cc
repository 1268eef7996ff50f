// Which CPU limits hold: by their own latencies and errors, beside the fastest look at full speed.
#include <gtest/gtest.h>

#include <algorithm>

#include "server/profiling/phases/reference.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

Trial FullSpeed(double p95_ms) {
  Trial trial;
  trial.purpose = TrialPurpose::kCpuProbe;
  trial.limits.Set(Cores(2.0));
  trial.concurrency = 1;
  trial.measurements.success_queries = 1000;
  trial.measurements.throttled_share = 0;
  trial.measurements.latency_p95_ms = p95_ms;
  return trial;
}

// The p95 of 10 ms, after one look more.
double After(const Trial& trial) {
  phases::Reference reference;
  reference.p95_ms = 10;
  return *phases::Fastest(reference, trial, {{}, 1, 0, {}}, Cores(2.0)).p95_ms;
}

TEST(ReferenceTest, IsTheFastestOfAllLooks) {
  EXPECT_EQ(After(FullSpeed(12)), 10);
  EXPECT_EQ(After(FullSpeed(8)), 8);
}

TEST(ReferenceTest, IsNoRunThatAQuotaHeldBack) {
  Trial trial = FullSpeed(8);
  trial.measurements.throttled_share = 0.5;
  EXPECT_EQ(After(trial), 10);
  trial.measurements.throttled_share.reset();
  trial.limits.Set(Cores(1.0));
  EXPECT_EQ(After(trial), 10);
}

TEST(ReferenceTest, IsNoRunOfAnotherLoadOrOtherSettingsOrFewRequests) {
  Trial trial = FullSpeed(8);
  trial.concurrency = 4;
  EXPECT_EQ(After(trial), 10);
  trial = FullSpeed(8);
  trial.requests_per_second = 5;
  EXPECT_EQ(After(trial), 10);
  trial = FullSpeed(8);
  trial.purpose = TrialPurpose::kThreadPools;
  EXPECT_EQ(After(trial), 10);
  trial = FullSpeed(8);
  trial.measurements.success_queries = 20;
  EXPECT_EQ(After(trial), 10);
}

TEST(CpuSearchTest, AServerThatTurnsRequestsAwayAtALowLimitNeedsMore) {
  FakeModel model;
  model.sheds_below = Cores(0.8);
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ProfileRequest request = ProfilingBench::Request("p", std::chrono::seconds(300));
  request.objective.latency_ms = {{"p95", 100}};
  ASSERT_TRUE(bench.service().Create("default", request, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_TRUE(profile.recommendation.has_value());
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(0.8));
}

}  // namespace
}  // namespace mlprof::server
