#include "server/profiling/queue/run_conclusion.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

const RunEnd kStopped{ProfileState::kCanceled, std::nullopt};
const RunEnd kSucceeded{ProfileState::kSucceeded, std::nullopt};
const RunEnd kFailed{ProfileState::kFailed, ProfileError{"OutOfMemory", "", {}, ""}};

class RunConclusionTest : public testing::Test {
 protected:
  RunConclusionTest() {
    accepted_.warnings = {{"fewDistinctRows", "", ""}};
    ran_ = accepted_;
    ran_.state = ProfileState::kVerifying;
    ran_.recommendation.emplace().verified = true;
    ran_.measurements.emplace();
    ran_.warnings.push_back({"noisyHost", "", ""});
  }

  Profile After(const RunOver& over) {
    Profile profile = ran_;
    Conclude(profile, accepted_, over, Now());
    return profile;
  }

  // Runs it until it is finished, and counts the runs.
  int RunsUntilFinished(const RunOver& over) {
    for (int runs = 1; runs < 100; ++runs) {
      accepted_ = After(over);
      if (IsFinished(accepted_.state)) return runs;
      ran_.warnings = accepted_.warnings;
    }
    return 100;
  }

  Profile accepted_;
  Profile ran_;
};

TEST_F(RunConclusionTest, KeepsAVerdict) {
  EXPECT_EQ(After({kSucceeded}).state, ProfileState::kSucceeded);
  EXPECT_TRUE(After({kSucceeded}).recommendation->verified);
  EXPECT_EQ(After({kFailed}).error->code, "OutOfMemory");
  // That came before the server's stop was heard.
  EXPECT_EQ(After({kSucceeded, StopReason::kServer}).state, ProfileState::kSucceeded);
}

TEST_F(RunConclusionTest, TakesBackThatThereIsNoAnswerWithTheRun) {
  ran_.recommendation.reset();
  ran_.no_answer = NoAnswer{kObjectiveNotHeld, "", {}};
  EXPECT_TRUE(After({kSucceeded}).no_answer);
  EXPECT_FALSE(After({kStopped, StopReason::kServer}).no_answer);
  EXPECT_FALSE(After({kSucceeded, std::nullopt, "", /*wrote_all=*/false}).no_answer);
}

TEST_F(RunConclusionTest, CancelsForItsUser) {
  EXPECT_EQ(After({kStopped, StopReason::kUser}).state, ProfileState::kCanceled);
}

TEST_F(RunConclusionTest, PutsBackWhatOthersEndedAsItWasAccepted) {
  for (const StopReason reason :
       {StopReason::kServer, StopReason::kStorage, StopReason::kEngine, StopReason::kAgent}) {
    const Profile profile = After({kStopped, reason, "why", true, true});
    EXPECT_EQ(profile.state, ProfileState::kQueued);
    EXPECT_FALSE(profile.recommendation.has_value());
    EXPECT_EQ(profile.warnings.front().code, "fewDistinctRows");
    EXPECT_EQ(profile.warnings.size(), reason == StopReason::kServer ? 1U : 2U);
  }
}

TEST_F(RunConclusionTest, AnEngineThatWentAwayMakesAFailureNoVerdict) {
  const Profile profile = After({kFailed, StopReason::kEngine, "no daemon listens", true, true});
  EXPECT_EQ(profile.state, ProfileState::kQueued);
  EXPECT_FALSE(profile.error.has_value());
  EXPECT_EQ(profile.warnings.back().code, "engineLost");
  EXPECT_NE(profile.warnings.back().message.find("no daemon listens"), std::string::npos);
}

TEST_F(RunConclusionTest, FailsWhereTheSameCauseEndsRunAfterRun) {
  EXPECT_EQ(RunsUntilFinished({kStopped, StopReason::kEngine, "why", true, true}), 6);
  EXPECT_EQ(accepted_.error->code, "RuntimeUnavailable");
  accepted_ = Profile();
  EXPECT_EQ(RunsUntilFinished({kStopped, StopReason::kStorage, "why", false, true}), 3);
  EXPECT_EQ(accepted_.error->code, "StorageFailed");
}

TEST_F(RunConclusionTest, CountsRerunsAndNotTheWarningsThatTellOfThem) {
  const RunOver engine_lost{kStopped, StopReason::kEngine, "why", true, true};
  for (int i = 0; i < 5; ++i) accepted_.warnings.push_back({"engineLost", "", ""});
  EXPECT_EQ(After(engine_lost).state, ProfileState::kQueued);
  accepted_.warnings.clear();
  accepted_.reruns.assign(5, {RerunCause::kEngineLost, "it went away; it was run again"});
  EXPECT_EQ(After(engine_lost).error->code, "RuntimeUnavailable");
  EXPECT_EQ(After({kStopped, StopReason::kStorage, "why", false, true}).state,
            ProfileState::kQueued);
}

TEST_F(RunConclusionTest, NamesTheRuntimeThatWasLostInItsOwnWords) {
  RunOver lost{kStopped, StopReason::kEngine, "why", true, true};
  lost.runtime = {"the process runtime", "failed", "", "see the log", "", ""};
  EXPECT_EQ(
      After(lost).warnings.back().message,
      "the process runtime failed, or somebody ended its container, while this profile ran: why; "
      "it was run again");
  accepted_.reruns.assign(5, {RerunCause::kEngineLost, ""});
  EXPECT_EQ(After(lost).error->advice, (std::vector<std::string>{"see the log"}));
}

TEST_F(RunConclusionTest, TellsOfEveryRerunToTheLetter) {
  Profile profile = After({kStopped, StopReason::kStorage, "disk full", false, true});
  EXPECT_EQ(
      profile.warnings.back(),
      (Warning{"storageFailed",
               "the data directory failed while this profile ran: disk full; it was run again",
               ""}));
  profile.warnings.push_back({"noisyHost", "", ""});
  ConcludeInterrupted(profile, InterruptedPolicy::kRequeue, Now());
  ASSERT_EQ(profile.warnings.size(), 2U);
  EXPECT_EQ(profile.warnings.front().code, "storageFailed");
  EXPECT_EQ(
      profile.warnings.back(),
      (Warning{"requeued", "the server stopped while this profile ran; it was run again", ""}));
}

TEST_F(RunConclusionTest, CountsNoRunThatLeftNothing) {
  const Profile engine = After({kStopped, StopReason::kEngine, "why", true, false});
  EXPECT_EQ(engine.warnings.size(), 1U);
  const Profile storage = After({kStopped, StopReason::kStorage, "why", false, false});
  EXPECT_EQ(storage.warnings.size(), 1U);
}

TEST_F(RunConclusionTest, CountsARunWhoseInputsCannotBeRead) {
  EXPECT_EQ(RunsUntilFinished({kStopped, StopReason::kStorage, "damaged", true, false}), 3);
}

TEST_F(RunConclusionTest, GivesNoAnswerWhoseProofIsNotStored) {
  const RunOver over{kStopped, StopReason::kUser, "", false, true};
  EXPECT_FALSE(After(over).recommendation.has_value());
}

TEST_F(RunConclusionTest, RunsAnInterruptedProfileThreeTimesAtMost) {
  Profile profile = ran_;
  for (int run = 0; run < 2; ++run) {
    ConcludeInterrupted(profile, InterruptedPolicy::kRequeue, Now());
    EXPECT_EQ(profile.state, ProfileState::kQueued);
    EXPECT_FALSE(profile.recommendation.has_value());
  }
  ConcludeInterrupted(profile, InterruptedPolicy::kRequeue, Now());
  EXPECT_EQ(profile.error->code, "Interrupted");
}

}  // namespace
}  // namespace mlprof::server
