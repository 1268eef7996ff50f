#include "server/profiling/phases/host_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/profiling/bare_run.h"

namespace mlprof::phases {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The same measurement took 20 ms at first and `later_ms` when it was repeated.
NoiseEvidence Drift(double later_ms) {
  NoiseEvidence evidence;
  evidence.anchors_ms = {20, later_ms};
  return evidence;
}

TEST(NoteNoiseTest, TellsASmallDriftThatIsNoNoise) {
  BareRun run;
  NoteNoise(run.context(), {});
  EXPECT_EQ(run.profile().host->noise, "quiet");
  EXPECT_FALSE(NoteNoise(run.context(), Drift(22)).noisy);
  EXPECT_THAT(run.profile().host->noise,
              AllOf(StartsWith("quiet, but "), HasSubstr("differed by 10%")));
  EXPECT_TRUE(run.profile().warnings.empty());
  EXPECT_FALSE(run.context().observed.noisy);
}

TEST(NoteNoiseTest, KeepsADriftThatWasTold) {
  BareRun run;
  NoteNoise(run.context(), Drift(22));
  NoteNoise(run.context(), {});
  EXPECT_THAT(run.profile().host->noise, HasSubstr("differed by 10%"));
  NoteNoise(run.context(), Drift(22.8));
  EXPECT_THAT(run.profile().host->noise, HasSubstr("differed by 14%"));
}

TEST(NoteNoiseTest, KeepsWhatDisturbedWhateverComesLater) {
  BareRun run;
  EXPECT_TRUE(NoteNoise(run.context(), Drift(30)).noisy);
  NoteNoise(run.context(), {});
  NoteNoise(run.context(), Drift(22));
  EXPECT_THAT(run.profile().host->noise, StartsWith("the same measurement differed by 50%"));
  EXPECT_TRUE(run.context().recorder.Warned("noisyHost"));
  EXPECT_TRUE(run.context().observed.noisy);
}

}  // namespace
}  // namespace mlprof::phases
