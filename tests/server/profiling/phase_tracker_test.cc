// How far a profile says it is.
#include "server/profiling/progress/phase_tracker.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_journal.h"

namespace mlprof::server {
namespace {

class PhaseTrackerTest : public ::testing::Test {
 protected:
  double fraction() const { return profile_.progress.fraction; }

  Profile profile_;
  FakeJournal journal_;
  FakeAnnouncer announcer_;
  PhaseTracker tracker_{profile_, journal_, announcer_};
};

TEST_F(PhaseTrackerTest, TakesAPhasesShareOfTheWhole) {
  tracker_.Enter(shares::kVerify, "verifying");
  EXPECT_DOUBLE_EQ(fraction(), shares::kVerify.from);
  tracker_.Progressed(0.5, "container 2 of 3", std::nullopt);
  EXPECT_DOUBLE_EQ(fraction(), (shares::kVerify.from + shares::kVerify.to) / 2);
  tracker_.Finish("verified");
  EXPECT_DOUBLE_EQ(fraction(), shares::kVerify.to);
}

TEST_F(PhaseTrackerTest, NeverGoesBack) {
  tracker_.Enter(shares::kVerify, "verifying");
  tracker_.Progressed(0.7, "container 3 of 3", std::nullopt);
  const double reached = fraction();
  tracker_.Progressed(0.5, "trying 0.9 cores", std::nullopt);
  EXPECT_DOUBLE_EQ(fraction(), reached);
  EXPECT_EQ(profile_.progress.message, "trying 0.9 cores");
  tracker_.Enter(shares::kVerify, "verifying");
  EXPECT_DOUBLE_EQ(fraction(), reached);
}

TEST_F(PhaseTrackerTest, BeginsAnewWithARun) {
  tracker_.Enter(shares::kTightness, "trying one step lower");
  PhaseTracker again(profile_, journal_, announcer_);
  again.Enter(shares::kPrepare, "preparing the image");
  EXPECT_DOUBLE_EQ(fraction(), shares::kPrepare.from);
}

}  // namespace
}  // namespace mlprof::server
