// Where in a run the curves are measured that what-if answers from.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

struct Told {
  Profile profile;
  std::vector<Trial> trials;

  std::ptrdiff_t First(TrialPurpose purpose) const {
    const auto at = std::find_if(trials.begin(), trials.end(),
                                 [&](const Trial& trial) { return trial.purpose == purpose; });
    return at == trials.end() ? -1 : at - trials.begin();
  }
  bool CurvesBehindProof() const {
    return First(TrialPurpose::kLoadCurve) > First(TrialPurpose::kVerification);
  }
};

Told Profiled(const ProfileRequest& request, const FakeModel& model = {}) {
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  Told told{bench.AwaitEnd("p"), {}};
  if (auto trials = bench.service().Trials("default", "p")) told.trials = *std::move(trials);
  EXPECT_GE(told.First(TrialPurpose::kLoadCurve), 0);
  EXPECT_GE(told.First(TrialPurpose::kVerification), 0);
  return told;
}

TEST(CurvesBehindProofTest, TheAnswerIsProvenBeforeThem) {
  const Told told = Profiled(ProfilingBench::Request("p", kBudget));
  EXPECT_TRUE(told.CurvesBehindProof());
  ASSERT_TRUE(told.profile.findings.cpu && told.profile.findings.load);
  EXPECT_GE(told.profile.findings.cpu->points.size(), 4U);
  EXPECT_EQ(told.profile.recommendation->tight, true);
}

TEST(CurvesBehindProofTest, OfARateTheyComeFirstBecauseItsMemoryTakesThem) {
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.objective.requests_per_second = 20;
  EXPECT_FALSE(Profiled(request).CurvesBehindProof());
}

TEST(CurvesBehindProofTest, TheyComeFirstWhereAnotherStartIsSlow) {
  FakeModel model;
  model.start_time = std::chrono::seconds(20);
  const Told told = Profiled(ProfilingBench::Request("p", kBudget), model);
  EXPECT_FALSE(told.CurvesBehindProof());
  // The proofs are cold starts, too: at the ceiling one of them is enough.
  EXPECT_EQ(
      std::count_if(told.trials.begin(), told.trials.end(),
                    [](const Trial& trial) { return trial.purpose == TrialPurpose::kColdStart; }),
      1);
}

TEST(CurvesBehindProofTest, TheyComeFirstWhereTheBudgetIsShort) {
  ProfileRequest request = ProfilingBench::Request("p", std::chrono::seconds(60));
  request.budget_given = true;
  EXPECT_FALSE(Profiled(request).CurvesBehindProof());
}

// Preflight and three starts come before the proof.
constexpr std::ptrdiff_t kAtCeilingBefore = 4;

std::ptrdiff_t AtCeiling(const FakeRuntime& runtime) {
  const auto launches = runtime.launches();
  const Limits& ceiling = launches.front().limits;
  return std::count_if(launches.begin(), launches.end(),
                       [&](const LaunchRequest& launch) { return launch.limits == ceiling; });
}

struct RunOnBench {
  explicit RunOnBench(const FakeModel& model) : bench(model) { bench.RegisterInputs(TextRows(20)); }
  Profile Go() {
    EXPECT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
    return bench.AwaitEnd("p");
  }
  ProfilingBench bench;
};

TEST(CurvesBehindProofTest, TheLastContainerOfTheProofServesForThem) {
  RunOnBench run({});
  const Profile profile = run.Go();
  EXPECT_TRUE(run.bench.runtime.raised_at());
  EXPECT_EQ(AtCeiling(run.bench.runtime), kAtCeilingBefore);
  ASSERT_TRUE(profile.findings.cpu && profile.findings.load);
  EXPECT_EQ(profile.recommendation->curve.back().cpu, Cores(2));
  // With all memory and CPU that there is.
  const auto trials = run.bench.service().Trials("default", "p");
  ASSERT_TRUE(trials);
  const auto level = std::find_if(trials->begin(), trials->end(), [](const Trial& trial) {
    return trial.purpose == TrialPurpose::kLoadCurve;
  });
  ASSERT_NE(level, trials->end());
  EXPECT_EQ(level->limits, run.bench.runtime.launches().front().limits);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereMemoryIsNotRaisedInPlace) {
  RunOnBench run({});
  run.bench.runtime.raises_memory = false;
  const Profile profile = run.Go();
  EXPECT_EQ(AtCeiling(run.bench.runtime), kAtCeilingBefore + 1);
  EXPECT_TRUE(profile.findings.load);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereThreadsAreMadeByTheCpuLimit) {
  FakeModel model;
  model.thread_a_core = true;
  RunOnBench run(model);
  const Profile profile = run.Go();
  ASSERT_LE(profile.recommendation->requested.cpu(), Cores(1));
  EXPECT_FALSE(run.bench.runtime.raised_at());
  EXPECT_TRUE(profile.findings.load);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereAHeapIsSizedByTheLimit) {
  FakeModel model;
  model.heap_share = 0.25;
  model.heap_live = MiB(100);
  model.garbage_per_row = MiB(10);
  RunOnBench run(model);
  const Profile profile = run.Go();
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_FALSE(run.bench.runtime.raised_at());
}

TEST(CurvesBehindProofTest, WhatEndsThemTakesNothingFromTheAnswer) {
  const auto runtime = std::make_shared<const FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime](const std::string&) {
    return (*runtime)->raised_at() == (*runtime)->launches().size() ? 0 : 200;
  };
  RunOnBench run(model);
  *runtime = &run.bench.runtime;
  const Profile profile = run.Go();
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(run.bench.runtime.raised_at());
  EXPECT_FALSE(profile.findings.load) << "the model died before its curve";
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->tight, true);
}

TEST(CurvesBehindProofTest, WhatEndsAContainerOfTheirOwnTakesNothingEither) {
  const auto runtime = std::make_shared<const FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime](const std::string&) {
    const auto launches = (*runtime)->launches();
    const bool for_curves = AtCeiling(**runtime) > kAtCeilingBefore;
    return for_curves && launches.back().limits == launches.front().limits ? 0 : 200;
  };
  RunOnBench run(model);
  run.bench.runtime.raises_memory = false;
  *runtime = &run.bench.runtime;
  const Profile profile = run.Go();
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_FALSE(profile.findings.load) << "the model died before its curve";
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->tight, true);
}

}  // namespace
}  // namespace mlprof::server
