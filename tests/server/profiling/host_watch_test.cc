#include "server/profiling/lab/host_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HostWatchTest : public ::testing::Test {
 protected:
  NoiseEvidence See(const HostLoadReader& read) { return watch_.Begin(2, read).End({}); }

  HostWatch watch_;
};

TEST_F(HostWatchTest, TellsASmallDriftThatIsNoNoise) {
  watch_.Judge({});
  EXPECT_EQ(watch_.noise().sentence, "quiet");
  EXPECT_FALSE(watch_.JudgeDrift(20, 22).noisy);
  EXPECT_THAT(watch_.noise().sentence,
              AllOf(StartsWith("quiet, but "), HasSubstr("differed by 10%")));
  EXPECT_FALSE(watch_.noisy());
}

TEST_F(HostWatchTest, KeepsADriftThatWasTold) {
  watch_.JudgeDrift(20, 22);
  watch_.Judge({});
  EXPECT_THAT(watch_.noise().sentence, HasSubstr("differed by 10%"));
  watch_.JudgeDrift(20, 22.8);
  EXPECT_THAT(watch_.noise().sentence, HasSubstr("differed by 14%"));
}

TEST_F(HostWatchTest, KeepsWhatDisturbedWhateverComesLater) {
  EXPECT_TRUE(watch_.JudgeDrift(20, 30).noisy);
  watch_.Judge({});
  watch_.JudgeDrift(20, 22);
  EXPECT_THAT(watch_.noise().sentence, StartsWith("the same measurement differed by 50%"));
  EXPECT_TRUE(watch_.noisy());
}

TEST_F(HostWatchTest, IsBusyByWhatUsesTheHostAndNotByItsSpeed) {
  EXPECT_TRUE(watch_.JudgeDrift(20, 30).noisy);
  EXPECT_FALSE(watch_.busy());
  NoiseEvidence others;
  others.host_cores = 2;
  others.foreign_cores = 0.9;
  watch_.Judge(others);
  EXPECT_TRUE(watch_.busy());
}

TEST_F(HostWatchTest, TellsOfEachFigureTheWorstThatWasSeen) {
  NoiseEvidence busy;
  busy.host_cores = 2;
  busy.foreign_cores = 0.9;
  watch_.Judge(busy);
  busy.foreign_cores = 0.3;
  busy.steal_share = 0.05;
  watch_.Judge(busy);
  watch_.JudgeDrift(20, 30);
  watch_.JudgeDrift(20, 24);
  EXPECT_EQ(
      watch_.noise().sentence,
      "other work used 0.90 cores, 5.0% of the time was stolen, the same measurement differed "
      "by 50% within the run");
}

Result<HostLoad> NobodyTells() { return Fail(Unavailable("the node does not tell")); }

TEST_F(HostWatchTest, NeverCallsAHostQuietWhoseLoadNobodyTells) {
  watch_.Judge(See([] { return HostLoad(); }));
  EXPECT_EQ(watch_.noise().sentence, "quiet");
  EXPECT_FALSE(watch_.Judge(See(&NobodyTells)).noisy);
  watch_.Judge(See([] { return HostLoad(); }));
  watch_.JudgeDrift(20, 22);
  EXPECT_EQ(watch_.noise().sentence, "");
  EXPECT_EQ(watch_.noise().unknown, "the node does not tell");
  EXPECT_FALSE(watch_.noisy());
}

TEST_F(HostWatchTest, StillSeesByADriftThatAHostItKnowsNothingOfIsNoisy) {
  See(&NobodyTells);
  EXPECT_TRUE(watch_.JudgeDrift(20, 30).noisy);
  watch_.Judge(See(&NobodyTells));
  EXPECT_THAT(watch_.noise().sentence, StartsWith("the same measurement differed by 50%"));
  EXPECT_EQ(watch_.noise().unknown, "the node does not tell");
}

}  // namespace
}  // namespace mlprof::server
