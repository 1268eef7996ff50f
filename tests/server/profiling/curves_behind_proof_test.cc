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
  EXPECT_EQ(told.profile.recommendation->curve.size(), told.profile.findings.cpu->points.size());
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

TEST(CurvesBehindProofTest, WhatEndsThemTakesNothingFromTheAnswer) {
  FakeModel model;
  model.per_waiting_row = MiB(600);
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.ceiling.memory = GiB(2);
  const Told told = Profiled(request, model);
  EXPECT_EQ(told.profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(told.profile.recommendation && told.profile.recommendation->verified);
}

}  // namespace
}  // namespace mlprof::server
