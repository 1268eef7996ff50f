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
    EXPECT_NE(at, trials.end());
    return at - trials.begin();
  }
  bool CurvesBehindProof() const {
    return First(TrialPurpose::kLoadCurve) > First(TrialPurpose::kVerification);
  }
};

struct RunOnBench {
  explicit RunOnBench(const FakeModel& model = {}) : bench(model) {
    bench.RegisterInputs(TextRows(20));
  }
  Told Go(const ProfileRequest& request = ProfilingBench::Request("p", kBudget)) {
    EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
    const Profile profile = bench.AwaitEnd("p");
    return {profile, bench.service().Trials("default", "p").value_or(std::vector<Trial>())};
  }
  FakeRuntime& runtime() { return bench.runtime; }

  ProfilingBench bench;
};

Told Profiled(const ProfileRequest& request, const FakeModel& model = {}) {
  return RunOnBench(model).Go(request);
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

TEST(CurvesBehindProofTest, TheLastContainerOfTheProofServesForThem) {
  RunOnBench run;
  const Told told = run.Go();
  const Profile& profile = told.profile;
  EXPECT_TRUE(run.runtime().raised_at());
  EXPECT_EQ(AtCeiling(run.runtime()), kAtCeilingBefore);
  ASSERT_TRUE(profile.findings.cpu && profile.findings.load);
  EXPECT_EQ(profile.recommendation->curve.back().cpu, Cores(2));
  // With all memory and CPU that there is.
  const auto level = static_cast<std::size_t>(told.First(TrialPurpose::kLoadCurve));
  ASSERT_LT(level, told.trials.size());
  EXPECT_EQ(told.trials[level].limits, run.runtime().launches().front().limits);
}

// It is longer than a point of the curve, so that its p99 is known.
TEST(CurvesBehindProofTest, TheCurveEndsWithTheLoadAtTheCeiling) {
  const Told told = Profiled(ProfilingBench::Request("p", kBudget));
  const auto load = static_cast<std::size_t>(told.First(TrialPurpose::kLoad));
  ASSERT_TRUE(load < told.trials.size() && told.profile.findings.cpu);
  const CpuPoint& last = told.profile.findings.cpu->points.back();
  EXPECT_TRUE(last.p99_ms);
  EXPECT_EQ(last.p99_ms, told.trials[load].measurements.latency_p99_ms);
  const auto repeats = [&](const Trial& trial) {
    return trial.purpose == TrialPurpose::kCpuProbe && trial.limits.cpu() == last.cpu;
  };
  EXPECT_TRUE(std::none_of(told.trials.begin() + told.First(TrialPurpose::kVerification),
                           told.trials.end(), repeats));
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereMemoryIsNotRaisedInPlace) {
  RunOnBench run;
  run.runtime().raises_memory = false;
  const Profile profile = run.Go().profile;
  EXPECT_EQ(AtCeiling(run.runtime()), kAtCeilingBefore + 1);
  EXPECT_TRUE(profile.findings.load);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereThreadsAreMadeByTheCpuLimit) {
  FakeModel model;
  model.thread_a_core = true;
  RunOnBench run(model);
  const Profile profile = run.Go().profile;
  ASSERT_LE(profile.recommendation->requested.cpu(), Cores(1));
  EXPECT_FALSE(run.runtime().raised_at());
  EXPECT_TRUE(profile.findings.load);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereAHeapIsSizedByTheLimit) {
  FakeModel model;
  model.heap_share = 0.25;
  model.heap_live = MiB(100);
  model.garbage_per_row = MiB(10);
  RunOnBench run(model);
  const Profile profile = run.Go().profile;
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_FALSE(run.runtime().raised_at());
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereHeavyRowsMet) {
  RunOnBench run;
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.objective.concurrency = 4;
  const Told told = run.Go(request);
  EXPECT_FALSE(run.runtime().raised_at());
  EXPECT_TRUE(told.profile.findings.load);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereItReadFilesBack) {
  FakeModel model;
  model.pages_read_back = 2;
  RunOnBench run(model);
  EXPECT_TRUE(run.Go().profile.findings.load);
  EXPECT_EQ(AtCeiling(run.runtime()), kAtCeilingBefore + 1);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereTheLastOfTheProofEndedInItsStepOfCpu) {
  const auto runtime = std::make_shared<const FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime](const std::string&) {
    const Limits launched = (*runtime)->launches().back().limits;
    const bool lowered = (*runtime)->cpu_in_force() < launched.cpu();
    return lowered && launched.memory() < GiB(1) ? 0 : 200;
  };
  RunOnBench run(model);
  *runtime = &run.runtime();
  EXPECT_TRUE(run.Go().profile.findings.load);
  EXPECT_EQ(AtCeiling(run.runtime()), kAtCeilingBefore + 1);
}

TEST(CurvesBehindProofTest, TheyHaveAnotherWhereTheLastOfTheProofLostAProcess) {
  const auto runtime = std::make_shared<const FakeRuntime*>(nullptr);
  FakeModel model;
  model.forks = true;
  // In the step of CPU that is tried in place.
  model.rise = [runtime](const std::string&) {
    const Limits launched = (*runtime)->launches().back().limits;
    const bool lowered = (*runtime)->cpu_in_force() < launched.cpu();
    return lowered && launched.memory() < GiB(1) ? GiB(1) : Bytes();
  };
  RunOnBench run(model);
  *runtime = &run.runtime();
  const Told told = run.Go();
  EXPECT_FALSE(run.runtime().raised_at());
  EXPECT_TRUE(told.profile.findings.load);
}

TEST(CurvesBehindProofTest, WhatEndsThemTakesNothingFromTheAnswer) {
  const auto runtime = std::make_shared<const FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime](const std::string&) {
    return (*runtime)->raised_at() == (*runtime)->launches().size() ? 0 : 200;
  };
  RunOnBench run(model);
  *runtime = &run.runtime();
  const Profile profile = run.Go().profile;
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(run.runtime().raised_at());
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
  run.runtime().raises_memory = false;
  *runtime = &run.runtime();
  const Profile profile = run.Go().profile;
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_FALSE(profile.findings.load) << "the model died before its curve";
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->tight, true);
}

}  // namespace
}  // namespace mlprof::server
