// The engine is away, hangs, or goes away while profiles wait and run.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using std::chrono::seconds;

constexpr const char* kWaits = "waiting for the imitated engine: the engine does not answer";

class LostEngineTest : public testing::Test {
 protected:
  LostEngineTest() : bench_(Model()) { bench_.RegisterInputs(TextRows(20)); }

  FakeModel Model() {
    FakeModel model;
    silent_ = model.silent;
    return model;
  }
  std::string Accept(const std::string& name) {
    const auto created = bench_.service().Create("default", bench_.Request(name, kBudget), {});
    EXPECT_TRUE(created.has_value());
    return created->profile.id;
  }
  // Accepted and in the midst of its run, which goes on until it is ended.
  void Run(const std::string& name) {
    *silent_ = true;
    bench_.AwaitPhase(Accept(name), "warmUp");
  }
  // For what its engine did: nothing of the first run is told.
  void ExpectRunAgain(const std::string& name) {
    *silent_ = false;
    const Profile profile = bench_.AwaitEnd(name);
    EXPECT_EQ(profile.state, ProfileState::kSucceeded);
    EXPECT_TRUE(HasWarning(profile, "engineLost"));
    EXPECT_FALSE(HasWarning(profile, "rowKills"));
  }

  std::shared_ptr<std::atomic<bool>> silent_;
  ProfilingBench bench_;
};

TEST_F(LostEngineTest, WhatWasAcceptedWaitsForItsEngine) {
  bench_.runtime.SetUnavailable(true);
  for (int i = 0; i < 5; ++i) Accept("p" + std::to_string(i));
  for (int i = 0; i < 5; ++i) bench_.AwaitMessage("p" + std::to_string(i), kWaits);
  const Status health = bench_.queue().Health();
  ASSERT_FALSE(health.has_value());
  EXPECT_EQ(health.error().message(),
            "profiles wait for the imitated engine: the engine does not answer");
  bench_.runtime.SetUnavailable(false);
  for (int i = 0; i < 5; ++i) {
    const Profile profile = bench_.AwaitEnd("p" + std::to_string(i));
    EXPECT_EQ(profile.state, ProfileState::kSucceeded);
    EXPECT_FALSE(HasWarning(profile, "engineLost"));
  }
  EXPECT_TRUE(bench_.queue().Health().has_value());
}

TEST_F(LostEngineTest, WhatWaitsIsCancelledAtOnce) {
  bench_.runtime.SetUnavailable(true);
  Accept("p");
  bench_.AwaitMessage("p", kWaits);
  ASSERT_TRUE(bench_.service().Cancel("default", "p").has_value());
  const Profile profile = *bench_.service().Get("default", "p");
  EXPECT_EQ(profile.state, ProfileState::kCanceled);
  EXPECT_EQ(profile.progress.message, "canceled");
}

TEST_F(LostEngineTest, OneThatHangsKeepsNobody) {
  bench_.waits.engine_response = std::chrono::hours(1);
  bench_.Restart();
  bench_.AwaitUntil([&] { return bench_.runtime.checks() > 0; });
  bench_.runtime.SetHanging(true);
  const int checks = bench_.runtime.checks();
  Accept("p");
  bench_.AwaitUntil([&] { return bench_.runtime.checks() > checks; });
  EXPECT_TRUE(bench_.service().Cancel("default", "p").has_value());
  const Deadline deadline = Deadline::After(seconds(5));
  bench_.Close();
  EXPECT_FALSE(deadline.Passed());
}

TEST_F(LostEngineTest, OneThatHangsKeepsNoCancelledRunForLong) {
  Run("p");
  bench_.runtime.SetHanging(true);
  const Deadline deadline = Deadline::After(seconds(8));
  ASSERT_TRUE(bench_.service().Cancel("default", "p").has_value());
  EXPECT_EQ(bench_.AwaitEnd("p").state, ProfileState::kCanceled);
  EXPECT_FALSE(deadline.Passed());
}

TEST_F(LostEngineTest, OneThatHangsKeepsNoOrderlyStopForLong) {
  Run("p");
  bench_.runtime.SetHanging(true);
  const Deadline deadline = Deadline::After(seconds(8));
  bench_.Close();
  EXPECT_FALSE(deadline.Passed());
}

TEST_F(LostEngineTest, ARunItLeftIsRunAgainWhenItIsBack) {
  Run("p");
  bench_.runtime.SetUnavailable(true);
  bench_.runtime.LoseAgents();
  bench_.AwaitMessage("p", "waiting for the imitated engine");
  EXPECT_EQ(bench_.service().Get("default", "p")->state, ProfileState::kQueued);
  *silent_ = false;
  bench_.runtime.SetUnavailable(false);
  const Profile profile = bench_.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(HasWarning(profile, "engineLost"));
}

TEST_F(LostEngineTest, APreparationItLeftIsBegunAgain) {
  bench_.runtime.FailNextPrepare(Unavailable("the engine restarted"));
  Accept("p");
  const Profile profile = bench_.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(HasWarning(profile, "engineLost"));
}

TEST_F(LostEngineTest, ContainersItEndedAsItRestartedAreNoVerdict) {
  Run("p");
  bench_.runtime.EndContainersByRestart();
  ExpectRunAgain("p");
}

TEST_F(LostEngineTest, WhatAModelDoesThatWasToldToEndFromOutsideIsNoVerdict) {
  Run("p");
  bench_.runtime.TellContainersToEnd();
  ExpectRunAgain("p");
}

TEST_F(LostEngineTest, ARunThatIsTriedAgainBeginsWithoutArtifacts) {
  Run("p");
  const std::string id = bench_.service().Get("default", "p")->id;
  const auto kept = bench_.artifacts().Keep(
      id, {"capture", "first.bin", "application/octet-stream", std::string("of the first run")});
  ASSERT_TRUE(kept.has_value());
  bench_.runtime.EndContainersByRestart();
  *silent_ = false;
  bench_.AwaitEnd("p");
  EXPECT_FALSE(bench_.artifacts().Get(id, kept->id).has_value());
  EXPECT_FALSE(bench_.content().HasFile(kept->sha256));
}

TEST_F(LostEngineTest, AFailureWhileItIsAwayIsNoVerdict) {
  bool first = true;
  bench_.runtime.on_prepare = [&](const std::stop_token&) {
    if (!std::exchange(first, false)) return;
    bench_.runtime.FailNextPrepare(Internal("the connection broke"));
    bench_.runtime.SetUnavailable(true);
  };
  Accept("p");
  bench_.AwaitMessage("p", kWaits);
  bench_.runtime.SetUnavailable(false);
  const Profile profile = bench_.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(HasWarning(profile, "engineLost"));
}

TEST_F(LostEngineTest, ALaunchItDidNotRespondToIsNoVerdict) {
  bench_.runtime.FailNextLaunch(Unavailable("the connection was reset"));
  Accept("p");
  const Profile profile = bench_.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(HasWarning(profile, "engineLost"));
}

TEST_F(LostEngineTest, ALaunchItRefusesIsAVerdict) {
  bench_.runtime.FailNextLaunch(InvalidArgument("no such device"));
  Accept("p");
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "RuntimeFailed");
}

TEST_F(LostEngineTest, AnAgentLostWithoutAWordIsGivenASecondRun) {
  Run("p");
  bench_.runtime.LoseAgents();
  bench_.AwaitUntil([&] { return HasWarning(*bench_.service().Get("default", "p"), "agentLost"); });
  bench_.AwaitUntil([&] { return bench_.runtime.running() > 0; });
  bench_.AwaitUntil([&] {
    bench_.runtime.LoseAgents();
    return IsFinished(bench_.service().Get("default", "p")->state);
  });
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "AgentLost");
}

TEST_F(LostEngineTest, APrivateServersUserIsToldAfterAWhile) {
  bench_.Restart(InterruptedPolicy::kFail);
  bench_.runtime.SetUnavailable(true);
  Accept("p");
  bench_.AwaitMessage("p", kWaits);
  const Profile profile = bench_.AwaitEnd("p");
  ASSERT_EQ(profile.state, ProfileState::kFailed);
  EXPECT_EQ(profile.error->code, "RuntimeUnavailable");
  EXPECT_EQ(profile.error->advice,
            (std::vector<std::string>{"start it, then create the profile again", "see its log"}));
}

}  // namespace
}  // namespace mlprof::server
