#include "server/replay/pacing.h"

#include <gtest/gtest.h>

#include "tests/server/replay/responses.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Time = ReplayLoop::Time;

constexpr Time kBegin = std::chrono::seconds(5);

// 100 requests a second, evenly: one every 10 ms.
ReplayPlan Plan() {
  ReplayPlan plan;
  plan.order = {0, 1, 2};
  plan.open_loop = OpenLoop{100, Arrivals::kConstant};
  return plan;
}

int SendAll(ReplayLoop& loop, Time now) {
  int sent = 0;
  while (loop.Next(now)) ++sent;
  return sent;
}

TEST(PacedLoopTest, SendsAtTheTimesOfTheScheduleWhetherOrNotResponsesCome) {
  ReplayPlan plan = Plan();
  plan.max_requests = 3;
  PacedLoop loop(plan);
  EXPECT_EQ(SendAll(loop, kBegin), 1);
  EXPECT_EQ(loop.NextAt(kBegin), kBegin + milliseconds(10));
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(9)), 0);
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(10)), 1);
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(20)), 1);
  EXPECT_EQ(loop.NextAt(kBegin + milliseconds(20)), std::nullopt);
  for (std::uint64_t id = 0; id < 3; ++id) {
    EXPECT_FALSE(loop.Done(kBegin + milliseconds(30)));
    EXPECT_TRUE(loop.Responded(Ok(id), kBegin + milliseconds(30)));
  }
  EXPECT_TRUE(loop.Done(kBegin + milliseconds(30)));
  EXPECT_EQ(loop.result().late, 0);
}

TEST(PacedLoopTest, CountsLatencyFromTheScheduledTimeAndSaysHowLateItSent) {
  PacedLoop loop(Plan());
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  ASSERT_EQ(SendAll(loop, kBegin + milliseconds(14)), 1);  // due at 10
  ASSERT_TRUE(loop.Responded(Ok(1), kBegin + milliseconds(17)));
  const ReplayResult result = loop.TakeResult();
  EXPECT_EQ(result.requests.at(0).lag_us, 4000U);
  EXPECT_EQ(result.requests.at(0).latency_us, 7000U);
  EXPECT_EQ(result.late, 1);
}

// 10 ms ahead, so that a row of every 10 ms is sent when the one before it leaves.
ReplayPlan AheadPlan() {
  ReplayPlan plan = Plan();
  plan.open_loop->ahead = milliseconds(10);
  return plan;
}

TEST(PacedLoopTest, SendsRowsAheadThatLeaveAtTheirTimes) {
  PacedLoop loop(AheadPlan());
  const auto first = loop.Next(kBegin);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at, Time{0}) << "at once";
  const auto second = loop.Next(kBegin);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->at, kBegin + milliseconds(10));
  EXPECT_EQ(second->lag, Time{0});
  EXPECT_FALSE(loop.Next(kBegin));
  EXPECT_EQ(loop.NextAt(kBegin), kBegin + milliseconds(15)) << "half of it ahead";
}

TEST(PacedLoopTest, TellsByTheAgentHowLateARowLeftThatWasSentAhead) {
  PacedLoop loop(AheadPlan());
  ASSERT_EQ(SendAll(loop, kBegin), 2);
  agent_protocol::Response response = Ok(1);
  response.read_at = kBegin + milliseconds(12);  // due at 10
  response.last_byte = milliseconds(3);
  ASSERT_TRUE(loop.Responded(response, kBegin + milliseconds(16)));
  const ReplayResult result = loop.TakeResult();
  EXPECT_EQ(result.requests.at(0).lag_us, 2000U);
  EXPECT_EQ(result.requests.at(0).latency_us, 5000U);
  EXPECT_EQ(result.late, 1);
}

TEST(PacedLoopTest, MissesNoRowBeforeItIsDue) {
  PacedLoop loop(AheadPlan());
  ASSERT_EQ(SendAll(loop, kBegin), 2);  // the next is due at 20
  EXPECT_FALSE(loop.MaySend(kBegin + milliseconds(19)));
  EXPECT_TRUE(loop.MaySend(kBegin + milliseconds(20)));
}

TEST(PacedLoopTest, TakesNoLatencyBelowTheAgentsOwnWhereItsClockIsWrong) {
  PacedLoop loop(AheadPlan());
  ASSERT_EQ(SendAll(loop, kBegin), 2);
  agent_protocol::Response response = Ok(1);
  response.read_at = kBegin + milliseconds(10);  // due then, and true 5 ms before
  response.last_byte = milliseconds(5);
  ASSERT_TRUE(loop.Responded(response, kBegin + milliseconds(11)));
  EXPECT_EQ(loop.TakeResult().requests.at(0).latency_us, 5000U);
}

TEST(PacedLoopTest, NamesTheLastRowThatHadLeftWhenItEnded) {
  PacedLoop loop(AheadPlan());
  ASSERT_EQ(SendAll(loop, kBegin), 2);
  ASSERT_EQ(SendAll(loop, kBegin + milliseconds(12)), 1);  // due at 20
  loop.End(kBegin + milliseconds(13));
  EXPECT_EQ(loop.result().last_sent, 1U);
  EXPECT_EQ(loop.result().last_due, kBegin + milliseconds(10));
}

TEST(PacedLoopTest, NamesTheLastRowThatHadLeftWhereAllBeforeItWereAnswered) {
  PacedLoop loop(AheadPlan());
  ASSERT_EQ(SendAll(loop, kBegin), 2);
  ASSERT_TRUE(loop.Responded(Ok(0), kBegin + milliseconds(5)));
  loop.End(kBegin + milliseconds(6));
  EXPECT_EQ(loop.result().last_sent, 0U);
  EXPECT_EQ(loop.result().last_due, kBegin);
}

TEST(PacedLoopTest, SendsNoRowAheadThatIsDueBehindItsEnd) {
  ReplayPlan plan = AheadPlan();
  plan.max_time = milliseconds(15);
  PacedLoop loop(plan);
  EXPECT_EQ(SendAll(loop, kBegin), 2);
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(14)), 0);
}

TEST(PacedLoopTest, FiresABacklogNoFasterThanTwiceTheRateUntilItIsGone) {
  PacedLoop loop(Plan());
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  // Nobody looked for 100 ms: the rows of 10, 20, … 100 ms are due.
  Time now = kBegin + milliseconds(100);
  EXPECT_EQ(SendAll(loop, now), 1);
  int sent = 1;
  Time previous = now;
  while (loop.result().late == sent) {
    now = *loop.NextAt(now);
    EXPECT_EQ(now - previous, milliseconds(5));
    previous = now;
    ASSERT_EQ(SendAll(loop, now), 1);
    ++sent;
  }
  // After 19 rows, 5 ms apart, the schedule has been caught up with: row 20 is due at 190 ms.
  EXPECT_EQ(loop.result().late, 18);
  EXPECT_EQ(now, kBegin + milliseconds(190));
  EXPECT_EQ(loop.NextAt(now), kBegin + milliseconds(200));
}

TEST(PacedLoopTest, NeverMakesABurstOfRandomArrivalsLaterThanTheRowBeforeIt) {
  ReplayPlan plan = Plan();
  plan.open_loop->arrivals = Arrivals::kPoisson;
  plan.max_requests = 500;
  PacedLoop loop(plan);
  Time now = kBegin;
  // The first row behind the begin is looked at 40 ms too late.
  while (loop.Next(now)) {
  }
  now = *loop.NextAt(now) + milliseconds(40);
  Time most = milliseconds(40);
  while (loop.sent() < 500) {
    if (const auto send = loop.Next(now)) {
      EXPECT_LE(send->lag, most);
      most = std::max(send->lag, Time(kLateAfter));
      continue;
    }
    now = *loop.NextAt(now);
  }
  EXPECT_LE(most, Time(kLateAfter));
}

TEST(PacedLoopTest, LetsCloseArrivalsLeaveTogetherWithinATimersJitter) {
  ReplayPlan plan = Plan();
  plan.open_loop->requests_per_second = 10'000;
  PacedLoop loop(plan);
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  EXPECT_EQ(SendAll(loop, kBegin + std::chrono::microseconds(300)), 3);
  EXPECT_EQ(loop.result().late, 0);
}

TEST(PacedLoopTest, HoldsRowsBackBeyondItsMaximumInFlight) {
  ReplayPlan plan = Plan();
  plan.open_loop->max_in_flight = 2;
  PacedLoop loop(plan);
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  ASSERT_EQ(SendAll(loop, kBegin + milliseconds(10)), 1);
  EXPECT_EQ(loop.NextAt(kBegin + milliseconds(20)), std::nullopt);
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(50)), 0);
  ASSERT_TRUE(loop.Responded(Ok(0), kBegin + milliseconds(50)));
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(50)), 1);
  ASSERT_TRUE(loop.Responded(Ok(2), kBegin + milliseconds(53)));
  EXPECT_EQ(loop.result().late, 1);
  EXPECT_EQ(loop.result().requests.back().latency_us, 33'000U);
}

TEST(PacedLoopTest, EndsAtItsTimeAndTellsWhatItCouldNotSend) {
  ReplayPlan plan = Plan();
  plan.open_loop->max_in_flight = 1;
  plan.max_time = milliseconds(45);
  PacedLoop loop(plan);
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  EXPECT_EQ(loop.NextAt(kBegin + milliseconds(46)), std::nullopt);
  ASSERT_TRUE(loop.Responded(Ok(0), kBegin + milliseconds(46)));
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(46)), 0);
  EXPECT_TRUE(loop.Done(kBegin + milliseconds(46)));
  loop.End(kBegin + milliseconds(46));
  EXPECT_EQ(loop.TakeResult().unsent, 4);  // of 10, 20, 30 and 40 ms
}

TEST(PacedLoopTest, EndsOnceNoMoreRowIsDueInItsTime) {
  ReplayPlan plan = Plan();
  plan.max_time = milliseconds(15);
  PacedLoop loop(plan);
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  ASSERT_EQ(SendAll(loop, kBegin + milliseconds(10)), 1);
  ASSERT_TRUE(loop.Responded(Ok(0), kBegin + milliseconds(11)));
  ASSERT_TRUE(loop.Responded(Ok(1), kBegin + milliseconds(12)));
  EXPECT_TRUE(loop.Done(kBegin + milliseconds(12)));
  loop.End(kBegin + milliseconds(12));
  EXPECT_EQ(loop.TakeResult().unsent, 0);
}

TEST(PacedLoopTest, CountsNothingAsUnsentThatWasNotDueWhenItWasStopped) {
  ReplayPlan plan = Plan();
  plan.max_time = std::chrono::hours(1);
  plan.open_loop->max_in_flight = 1;
  PacedLoop loop(plan);
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  loop.End(kBegin + milliseconds(25));
  EXPECT_EQ(loop.TakeResult().unsent, 2);
}

TEST(PacedLoopTest, GoesOnForTheLeastCountUpToTheHardLimit) {
  ReplayPlan plan = Plan();
  plan.max_time = milliseconds(15);
  plan.min_requests = 100;
  plan.hard_max_time = milliseconds(25);
  PacedLoop loop(plan);
  ASSERT_EQ(SendAll(loop, kBegin), 1);
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(10)), 1);
  EXPECT_EQ(SendAll(loop, kBegin + milliseconds(20)), 1);
  EXPECT_EQ(loop.NextAt(kBegin + milliseconds(20)), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
