// Models that take long to start, on time that passes at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using std::chrono::seconds;

FakeModel StartingIn(seconds time, seconds cpu = seconds(0)) {
  FakeModel model;
  model.start_time = time;
  model.start_cpu = cpu;
  return model;
}

ProfileRequest RequestOf(seconds start_timeout) {
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.inference_config->start_timeout = start_timeout;
  return request;
}

Profile Profiled(ProfilingBench& bench, const ProfileRequest& request) {
  bench.RegisterInputs(TextRows(20));
  EXPECT_TRUE(bench.service().Create("default", request, {}).has_value());
  return bench.AwaitEnd("p");
}

std::string WarningText(const Profile& profile, const std::string& code) {
  for (const Warning& warning : profile.warnings) {
    if (warning.code == code) return warning.message;
  }
  return "";
}

TEST(SlowStartTest, AModelThatStartsInAMinuteIsProvenAndTriedOneStepLowerByDefault) {
  ProfilingBench bench(StartingIn(seconds(60)));
  const Profile profile = Profiled(bench, RequestOf(seconds(300)));
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->tight, true);
  EXPECT_FALSE(HasWarning(profile, "unverified"));
}

TEST(SlowStartTest, AModelThatStartsInFiveMinutesIsProvenByDefault) {
  ProfilingBench bench(StartingIn(seconds(300)));
  const Profile profile = Profiled(bench, RequestOf(seconds(600)));
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_TRUE(profile.recommendation->verified);
  ASSERT_TRUE(profile.recommendation->start && profile.recommendation->start->at_limits);
  EXPECT_NEAR(profile.recommendation->start->at_limits->seconds, 300, 1);
}

TEST(SlowStartTest, ABudgetThatWasNamedIsAHardEnd) {
  ProfilingBench bench(StartingIn(seconds(100)));
  ProfileRequest request = RequestOf(seconds(600));
  request.budget_given = true;
  const auto began = bench.runtime.clock().Now();
  const Profile profile = Profiled(bench, request);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_FALSE(profile.recommendation->verified);
  EXPECT_TRUE(HasWarning(profile, "unverified"));
  // The imitated start that is on when the budget ends goes on to its own.
  EXPECT_LT(bench.runtime.clock().Now() - began, kBudget + seconds(110));
}

TEST(SlowStartTest, AStartThatNeverEndsEndsWithTheConfigsPatience) {
  ProfilingBench bench(StartingIn(seconds(100'000)));
  const auto began = bench.runtime.clock().Now();
  const Profile profile = Profiled(bench, RequestOf(seconds(600)));
  EXPECT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "StartTimedOut");
  EXPECT_LT(bench.runtime.clock().Now() - began, seconds(620));
}

TEST(SlowStartTest, IsToldAndWarnedAboutWhereTheLimitsMakeItTwiceAsLong) {
  FakeModel model = StartingIn(seconds(12), seconds(10));
  // A row sleeps most of its time: hardly any CPU holds the latency.
  ProfilingBench bench(model);
  ProfileRequest request = RequestOf(seconds(300));
  request.objective.latency_ms = {{"p95", 9.0}};  // 2 ms of CPU: 0.3 cores hold it (6.7 ms)
  const Profile profile = Profiled(bench, request);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  ASSERT_TRUE(profile.recommendation->verified);
  ASSERT_EQ(profile.recommendation->requested.cpu(), Cores(0.3));
  const StartFigures& start = profile.recommendation->start.value();
  EXPECT_NEAR(start.at_ceiling.seconds, 12, 0.1);
  EXPECT_NEAR(start.at_limits->seconds, 2 + 10 / 0.3, 0.1);
  EXPECT_EQ(start.startup_cpu, Cores(0.9));
  EXPECT_NE(WarningText(profile, "startSlow").find("35.3 s at 0.3 cores, 12 s at 2"),
            std::string::npos)
      << WarningText(profile, "startSlow");
}

TEST(SlowStartTest, ALimitThatStartsItLaterThanTheObjectiveAllowsIsShortOfCpu) {
  ProfilingBench bench(StartingIn(seconds(12), seconds(10)));
  ProfileRequest request = RequestOf(seconds(300));
  request.objective.latency_ms = {{"p95", 9.0}};
  request.objective.start_within_seconds = 20;
  const Profile profile = Profiled(bench, request);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  ASSERT_TRUE(profile.recommendation->verified);
  // 2 s of waiting and 10 CPU seconds: 16.3 s at 0.7 cores, 18.7 s at 0.6.
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(0.6));
  EXPECT_EQ(profile.recommendation->tight, true);
  EXPECT_EQ(profile.recommendation->start->startup_cpu, Cores(0.6));
  EXPECT_LE(profile.recommendation->start->at_limits->seconds, 20);
  EXPECT_FALSE(HasWarning(profile, "startSlow"));
}

TEST(SlowStartTest, NoLimitIsAskedForAtWhichItWouldNotStartInTheConfigsTime) {
  ProfilingBench bench(StartingIn(seconds(30), seconds(30)));
  ProfileRequest request = RequestOf(seconds(60));
  request.objective.latency_ms = {{"p95", 100.0}};  // 0.1 cores hold it
  const Profile profile = Profiled(bench, request);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded)
      << (profile.error ? profile.error->message : "");
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(profile.recommendation->requested.cpu(), Cores(0.5));
}

TEST(SlowStartTest, AnObjectiveThatTheCeilingDoesNotHoldHasNoAnswer) {
  ProfilingBench bench(StartingIn(seconds(30), seconds(30)));
  ProfileRequest request = RequestOf(seconds(300));
  request.objective.start_within_seconds = 10;
  const Profile profile = Profiled(bench, request);
  ASSERT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_FALSE(profile.recommendation);
  ASSERT_TRUE(profile.no_answer);
  EXPECT_EQ(profile.no_answer->code, "objectiveNotHeld");
  EXPECT_NE(profile.no_answer->message.find("not ready within the 10 s of the objective"),
            std::string::npos)
      << profile.no_answer->message;
}

}  // namespace
}  // namespace mlprof::server
