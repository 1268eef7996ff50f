#include "server/analysis/variants/early_end.h"

#include <gtest/gtest.h>

#include "server/analysis/variants/shared_budget.h"
#include "tests/server/analysis/variants/made_up_variants.h"

namespace mlprof::server {
namespace {

const Profile kProven = VariantProfile(Cores(1.0), MiB(512), 50, 20);

Profile Running(Cores cpu, double p95_ms, double requests_per_second) {
  Profile profile = VariantProfile(cpu, MiB(512), p95_ms, requests_per_second, /*verified=*/false);
  profile.state = ProfileState::kProfiling;
  return profile;
}

bool IsBeaten(const Profile& running, const Profile& rival = kProven,
              std::string_view phase = "searchCpu") {
  return WhyBeaten(running, phase, {{"rival", &rival}}, {}).has_value();
}

TEST(EarlyEndTest, ClearlyDearerAndNoBetterIsNotWorthItsProof) {
  const Profile running = Running(Cores(2.0), 60, 15);
  const auto why = WhyBeaten(running, "searchCpu", {{"rival", &kProven}}, {});
  ASSERT_TRUE(why);
  for (const char* figure : {"rival", "50 ms", "20 requests", "60 ms", "15 requests"}) {
    EXPECT_NE(why->find(figure), std::string::npos) << figure << " in " << *why;
  }
}

TEST(EarlyEndTest, WhoeverMayWinInAnythingGoesOn) {
  EXPECT_FALSE(IsBeaten(Running(Cores(1.1), 60, 15))) << "a proof may make it the cheaper one";
  EXPECT_FALSE(IsBeaten(Running(Cores(2.0), 49, 15))) << "it is faster";
  EXPECT_FALSE(IsBeaten(Running(Cores(2.0), 60, 21))) << "it serves more";
}

TEST(EarlyEndTest, IsJudgedBetweenTheSearchForCpuAndTheProof) {
  const Profile running = Running(Cores(2.0), 60, 15);
  for (const char* phase : {"prepare", "coldStarts", "warmUp", "rows", "load", "plateau"}) {
    EXPECT_FALSE(IsBeaten(running, kProven, phase)) << phase;
  }
  for (const char* phase : {"searchCpu", "loadCurve", "searchMemory", "threadPools"}) {
    EXPECT_TRUE(IsBeaten(running, kProven, phase)) << phase;
  }
  Profile proven = running;
  proven.recommendation->verified = true;
  EXPECT_FALSE(IsBeaten(proven, kProven, "loadCurve"));
}

TEST(EarlyEndTest, OnlyAProofUnderTheSameObjectiveBeats) {
  const Profile running = Running(Cores(2.0), 60, 15);
  Profile unproven = kProven;
  unproven.recommendation->verified = false;
  EXPECT_FALSE(IsBeaten(running, unproven));
  Profile easier = kProven;
  easier.request.objective.latency_ms = {{"p95", 500}};
  EXPECT_FALSE(IsBeaten(running, easier));
  Profile same = kProven;
  same.request.objective.connections = ConnectionUse::kKeepAlive;  // as it was found out
  EXPECT_TRUE(IsBeaten(running, same));
}

TEST(EarlyEndTest, WhatWasNotMeasuredDoesNotBeat) {
  Profile running = Running(Cores(2.0), 60, 15);
  running.measurements->latency_p95_ms.reset();
  EXPECT_FALSE(IsBeaten(running));
  running.recommendation.reset();
  EXPECT_FALSE(IsBeaten(running));
  EXPECT_FALSE(WhyBeaten(running, "searchCpu", {}, {}));
}

using std::chrono::seconds;

TEST(SharedBudgetTest, AllHaveEqualPartsOfIt) {
  EXPECT_EQ(NextShare(seconds(300), {}, 3), seconds(100));
}

TEST(SharedBudgetTest, WhoeverEndsEarlyLeavesItsTimeToAllThatComeAfterIt) {
  EXPECT_EQ(NextShare(seconds(300), {{seconds(100), seconds(20)}}, 2), seconds(140));
  EXPECT_EQ(NextShare(seconds(300), {{seconds(100), seconds(20)}, {seconds(140), seconds(140)}}, 1),
            seconds(140));
}

TEST(SharedBudgetTest, ALongPreparationTakesNothingFromTheOthers) {
  EXPECT_EQ(NextShare(seconds(300), {{seconds(100), seconds(900)}}, 2), seconds(100));
}

TEST(SharedBudgetTest, NobodyBeginsWithNothing) {
  EXPECT_EQ(NextShare(seconds(2), {{seconds(2), seconds(2)}}, 1), seconds(1));
}

}  // namespace
}  // namespace mlprof::server
