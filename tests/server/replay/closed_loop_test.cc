#include "server/replay/pacing.h"

#include <gtest/gtest.h>

#include "tests/server/replay/responses.h"

namespace mlprof::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

ReplayPlan Plan(std::size_t rows, int concurrency) {
  ReplayPlan plan;
  for (std::uint32_t i = 0; i < rows; ++i) plan.order.push_back(i);
  plan.concurrency = concurrency;
  return plan;
}

TEST(ClosedLoopTest, KeepsExactlySoManyInFlight) {
  ReplayPlan plan = Plan(10, 3);
  plan.max_requests = 5;
  ClosedLoop loop(plan);
  int sent = 0;
  while (loop.Next(nanoseconds(0))) ++sent;
  EXPECT_EQ(sent, 3);
  EXPECT_TRUE(loop.Responded(Ok(0), milliseconds(1)));
  EXPECT_TRUE(loop.Next(milliseconds(1)));
  EXPECT_FALSE(loop.Next(milliseconds(1)));
}

TEST(ClosedLoopTest, RepeatsTheRowsInOrder) {
  ReplayPlan plan = Plan(2, 5);
  plan.max_requests = 5;
  ClosedLoop loop(plan);
  std::vector<std::uint32_t> rows;
  while (const auto send = loop.Next(nanoseconds(0))) rows.push_back(send->row);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 0, 1, 0}));
}

TEST(ClosedLoopTest, MeasuresFromTheSendToTheResponse) {
  ReplayPlan plan = Plan(1, 1);
  plan.max_requests = 1;
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(milliseconds(100)));
  ASSERT_TRUE(loop.Responded(Ok(0), milliseconds(107)));
  EXPECT_TRUE(loop.Done(milliseconds(107)));
  const ReplayResult result = loop.TakeResult();
  EXPECT_EQ(result.requests.at(0).latency_us, 7000U);
  EXPECT_EQ(result.began, milliseconds(100));
  EXPECT_EQ(result.ended, milliseconds(107));
}

TEST(ClosedLoopTest, TimesAttributedRowsByTheAgent) {
  ReplayPlan plan = Plan(1, 1);
  plan.max_requests = 1;
  plan.attribute = true;
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(milliseconds(100)));
  agent_protocol::Response response = Ok(0);
  response.last_byte = milliseconds(4);
  ASSERT_TRUE(loop.Responded(response, milliseconds(112)));  // held 8 ms to see the CPU settle
  EXPECT_EQ(loop.TakeResult().requests.at(0).latency_us, 4000U);
}

TEST(ClosedLoopTest, LeavesTheResponsesWayBackOutOfTheLatency) {
  ReplayPlan plan = Plan(1, 2);
  plan.max_requests = 2;
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(milliseconds(100)));
  ASSERT_TRUE(loop.Next(milliseconds(100)));
  agent_protocol::Response response = Ok(0);
  response.read_at = milliseconds(101);
  response.last_byte = milliseconds(4);
  ASSERT_TRUE(loop.Responded(response, milliseconds(109)));
  // A clock that is not this one: before the row was sent, or after its response came.
  response.id = 1;
  response.read_at = milliseconds(99);
  ASSERT_TRUE(loop.Responded(response, milliseconds(109)));
  ASSERT_TRUE(loop.Next(milliseconds(110)) == std::nullopt);
  const ReplayResult result = loop.TakeResult();
  EXPECT_EQ(result.requests.at(0).latency_us, 5000U);
  EXPECT_EQ(result.requests.at(1).latency_us, 9000U);
}

TEST(ClosedLoopTest, StopsAtItsTimeButAwaitsWhatIsInFlight) {
  ReplayPlan plan = Plan(4, 2);
  plan.max_time = milliseconds(10);
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(milliseconds(0)));
  ASSERT_TRUE(loop.Next(milliseconds(0)));
  ASSERT_TRUE(loop.Responded(Ok(0), milliseconds(11)));
  EXPECT_FALSE(loop.Next(milliseconds(11)));
  EXPECT_FALSE(loop.Done(milliseconds(11)));
  ASSERT_TRUE(loop.Responded(Ok(1), milliseconds(12)));
  EXPECT_TRUE(loop.Done(milliseconds(12)));
}

TEST(ClosedLoopTest, GoesOnForTheLeastCountUpToTheHardLimit) {
  ReplayPlan plan = Plan(4, 1);
  plan.max_time = milliseconds(10);
  plan.min_requests = 100;
  plan.hard_max_time = milliseconds(20);
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(milliseconds(0)));
  ASSERT_TRUE(loop.Responded(Ok(0), milliseconds(15)));
  ASSERT_TRUE(loop.Next(milliseconds(15)));
  ASSERT_TRUE(loop.Responded(Ok(1), milliseconds(21)));
  EXPECT_FALSE(loop.Next(milliseconds(21)));
}

TEST(ClosedLoopTest, CountsOnly2xxAsSuccessAndKeepsTheFirstFailure) {
  ReplayPlan plan = Plan(3, 3);
  plan.max_requests = 3;
  ClosedLoop loop(plan);
  while (loop.Next(nanoseconds(0))) {
  }
  agent_protocol::Response redirect = Ok(1);
  redirect.http_status = 302;
  redirect.excerpt = "elsewhere";
  agent_protocol::Response timeout;
  timeout.id = 2;
  timeout.failure = agent_protocol::RowFailure::kTimeout;
  ASSERT_TRUE(loop.Responded(Ok(0), milliseconds(1)));
  ASSERT_TRUE(loop.Responded(redirect, milliseconds(2)));
  ASSERT_TRUE(loop.Responded(timeout, milliseconds(3)));
  const ReplayResult result = loop.TakeResult();
  EXPECT_EQ(result.failures, 2);
  EXPECT_EQ(result.first_failure->row, 1U);
  EXPECT_EQ(result.first_failure->body, "elsewhere");
  EXPECT_EQ(result.SuccessLatencies().size(), 1U);
}

TEST(ClosedLoopTest, RefusesAResponseThatWasNotAskedFor) {
  ReplayPlan plan = Plan(1, 1);
  plan.max_requests = 2;
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(nanoseconds(0)));
  EXPECT_FALSE(loop.Responded(Ok(7), milliseconds(1)));
  EXPECT_TRUE(loop.Responded(Ok(0), milliseconds(1)));
  EXPECT_FALSE(loop.Responded(Ok(0), milliseconds(2)));
}

TEST(ClosedLoopTest, TellsWhichRowTheModelDiedOf) {
  ReplayPlan plan = Plan(3, 1);
  plan.max_requests = 3;
  ClosedLoop loop(plan);
  ASSERT_TRUE(loop.Next(nanoseconds(0)));
  EXPECT_EQ(loop.result().LastRowTaken(), 0U);
  agent_protocol::Response broken;
  broken.failure = agent_protocol::RowFailure::kReset;
  ASSERT_TRUE(loop.Responded(broken, milliseconds(1)));
  ASSERT_TRUE(loop.Next(milliseconds(1)));
  agent_protocol::Response refused;
  refused.id = 1;
  refused.failure = agent_protocol::RowFailure::kConnect;
  ASSERT_TRUE(loop.Responded(refused, milliseconds(2)));
  EXPECT_EQ(loop.TakeResult().LastRowTaken(), 0U);
}

// To a row that left at `left` and took `took`, by the agent's clock.
agent_protocol::Response Left(std::uint64_t id, nanoseconds left, nanoseconds took) {
  agent_protocol::Response response = Ok(id);
  response.read_at = left;
  response.last_byte = took;
  return response;
}

// Two rows in flight. Rows 0 and 1 took from 100 to 103 ms; 2 to 4 were sent at 104, 4 is kept.
class ShortRowsTest : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(loop_.Next(milliseconds(100)).value().most_in_flight, 0U);
    EXPECT_EQ(loop_.Next(milliseconds(100)).value().most_in_flight, 0U);
    EXPECT_FALSE(loop_.Next(milliseconds(100)));  // nothing tells yet that rows are short
    EXPECT_TRUE(loop_.Responded(Left(0, milliseconds(100), milliseconds(3)), milliseconds(104)));
    EXPECT_TRUE(loop_.Responded(Left(1, milliseconds(100), milliseconds(3)), milliseconds(104)));
    for (int row = 2; row <= 4; ++row) {
      EXPECT_EQ(loop_.Next(milliseconds(104)).value().most_in_flight, 2U);
    }
  }
  static ReplayPlan TenRows() {
    ReplayPlan plan = Plan(10, 2);
    plan.max_requests = 10;
    return plan;
  }
  ClosedLoop loop_{TenRows()};
};

TEST_F(ShortRowsTest, AreKeptOneAtATimeByTheAgent) { EXPECT_FALSE(loop_.Next(milliseconds(104))); }

TEST_F(ShortRowsTest, AreTimedFromWhenTheyLeaveTheAgent) {
  ASSERT_TRUE(loop_.Responded(Left(2, milliseconds(105), milliseconds(4)), milliseconds(110)));
  ASSERT_TRUE(loop_.Responded(Left(4, milliseconds(109), milliseconds(5)), milliseconds(115)));
  const ReplayResult result = loop_.TakeResult();
  EXPECT_EQ(result.requests.at(3).due, milliseconds(109));
  EXPECT_EQ(result.requests.at(3).latency_us, 5000U);
}

TEST_F(ShortRowsTest, AreTimedUntilTheWordWhereNoResponseCame) {
  agent_protocol::Response timeout = Left(2, milliseconds(105), nanoseconds(0));
  timeout.failure = agent_protocol::RowFailure::kTimeout;
  ASSERT_TRUE(loop_.Responded(timeout, milliseconds(1105)));
  const ReplayResult result = loop_.TakeResult();
  EXPECT_EQ(result.requests.at(2).due, milliseconds(105));
  EXPECT_EQ(result.requests.at(2).latency_us, 1'000'000U);
}

TEST_F(ShortRowsTest, AreNotWhatTheModelHadLastWhileTheyAreKept) {
  loop_.End(milliseconds(110));
  EXPECT_EQ(loop_.TakeResult().last_sent, 3U);
}

// Whether one row more is sent once the rows in flight were answered.
bool KeepsOne(ReplayPlan plan, nanoseconds took) {
  plan.max_requests = 10;
  ClosedLoop loop(plan);
  const nanoseconds sent = milliseconds(100);
  const nanoseconds answered = sent + took;
  for (int row = 0; row < plan.concurrency; ++row) (void)loop.Next(sent);
  for (int row = 0; row < plan.concurrency; ++row) {
    (void)loop.Responded(Left(static_cast<std::uint64_t>(row), sent, took), answered);
  }
  for (int row = 0; row < plan.concurrency; ++row) (void)loop.Next(answered);
  return loop.Next(answered).has_value();
}

TEST(ClosedLoopTest, KeepsARowAtTheAgentOnlyWhereSeveralShortOnesAreInFlight) {
  EXPECT_TRUE(KeepsOne(Plan(10, 2), milliseconds(3)));
  EXPECT_FALSE(KeepsOne(Plan(10, 2), milliseconds(50)));
  EXPECT_FALSE(KeepsOne(Plan(10, 1), milliseconds(3)));
}

TEST(ClosedLoopTest, KeepsNoRowBesideThoseOfAReplayThatWasGivenUp) {
  ReplayPlan plan = Plan(10, 2);
  plan.others_in_flight = true;
  EXPECT_FALSE(KeepsOne(plan, milliseconds(3)));
}

}  // namespace
}  // namespace mlprof::server
