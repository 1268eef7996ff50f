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

TEST(CurvesBehindProofTest, WhatEndsThemTakesNothingFromTheAnswer) {
  const auto runtime = std::make_shared<const FakeRuntime*>(nullptr);
  FakeModel model;
  model.status = [runtime](const std::string&) {
    const auto launches = (*runtime)->launches();
    const Limits& ceiling = launches.front().limits;
    const auto at_ceiling =
        std::count_if(launches.begin(), launches.end(),
                      [&](const LaunchRequest& launch) { return launch.limits == ceiling; });
    const bool for_curves = at_ceiling > 4;  // preflight and three starts come before
    return for_curves && launches.back().limits == ceiling ? 0 : 200;
  };
  ProfilingBench bench(model);
  *runtime = &bench.runtime;
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_FALSE(profile.findings.load) << "the model died before its curve";
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->tight, true);
}

}  // namespace
}  // namespace mlprof::server
