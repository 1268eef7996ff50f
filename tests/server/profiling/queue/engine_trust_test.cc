#include <gtest/gtest.h>

#include "server/profiling/queue/engine_trust.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const EngineTrust::Time kBegin{};

TEST(EngineTrustTest, TrustsAnEngineAsSoonAsItResponds) {
  EngineTrust trust(seconds(2), seconds(60));
  EXPECT_FALSE(trust.Trusted(kBegin));
  trust.Failed(kBegin);
  EXPECT_EQ(trust.DistrustedFor(kBegin + seconds(90)), seconds(90));
  trust.Responded(kBegin + seconds(90));
  EXPECT_TRUE(trust.Trusted(kBegin + seconds(90)));
  EXPECT_EQ(trust.DistrustedFor(kBegin + seconds(91)), seconds(0));
}

TEST(EngineTrustTest, AFlappingEngineTakesMoreThanAMinuteToEndSixRuns) {
  EngineTrust trust(seconds(2), seconds(60));
  EngineTrust::Time now = kBegin;
  for (int run = 0; run < 6; ++run) {
    for (trust.Responded(now); !trust.Trusted(now); trust.Responded(now)) now += milliseconds(100);
    trust.LostRun(now);
  }
  EXPECT_GT(now - kBegin, seconds(60));
}

TEST(EngineTrustTest, MustProveItselfAnewWhenItFailsMeanwhile) {
  EngineTrust trust(seconds(2), seconds(60));
  trust.LostRun(kBegin);
  trust.Responded(kBegin + seconds(1));
  trust.Failed(kBegin + seconds(2));
  trust.Responded(kBegin + seconds(3));
  EXPECT_FALSE(trust.Trusted(kBegin + seconds(4)));
  EXPECT_TRUE(trust.Trusted(kBegin + seconds(5)));
}

TEST(EngineTrustTest, ARunItKeptMakesUpForThoseItLost) {
  EngineTrust trust(seconds(2), seconds(60));
  trust.LostRun(kBegin);
  trust.LostRun(kBegin);
  trust.KeptRun();
  trust.Responded(kBegin + seconds(1));
  EXPECT_TRUE(trust.Trusted(kBegin + seconds(1)));
}

TEST(BackoffTest, DoublesUpToTheMostAndBeginsAnew) {
  Backoff backoff(milliseconds(500), milliseconds(1500));
  EXPECT_EQ(backoff.Next(), milliseconds(500));
  EXPECT_EQ(backoff.Next(), milliseconds(1000));
  EXPECT_EQ(backoff.Next(), milliseconds(1500));
  EXPECT_EQ(backoff.Next(), milliseconds(1500));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(500));
}

}  // namespace
}  // namespace mlprof::server
