#include "server/replay/agent_session.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_agent_link.h"

namespace mlprof {
namespace {

const Limits kAmple{Cores(2.0), GiB(1)};

ReplayPlan Once(std::size_t rows) {
  ReplayPlan plan;
  for (std::uint32_t i = 0; i < rows; ++i) plan.order.push_back(i);
  plan.max_requests = rows;
  return plan;
}

Deadline Soon() { return Deadline::After(std::chrono::seconds(20)); }

TEST(AgentSessionTest, ReplaysEveryRowOfAModelThatAnswers) {
  FakeClock clock;
  FakeAgentLink link({}, kAmple, false, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const Rows rows = {"a", "b", "c"};
  const ReplayResult result = session.Replay(rows, Once(3), {}, Soon());
  EXPECT_EQ(result.requests.size(), 3U);
  EXPECT_EQ(result.failures, 0);
  EXPECT_FALSE(result.target_lost);
  EXPECT_EQ(result.requests[0].latency_us, 2000U);
  EXPECT_EQ(session.LastSample()->unreclaimable, MiB(200));
}

TEST(AgentSessionTest, KeepsAReplayFreeOfTheLateAnswersOfTheOneBefore) {
  FakeModel model;
  *model.silent = true;
  FakeClock clock;
  FakeAgentLink link(model, kAmple, false, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const Rows rows = {"a", "b"};
  const ReplayResult given_up =
      session.Replay(rows, Once(2), {}, Deadline::After(std::chrono::milliseconds(20)));
  EXPECT_TRUE(given_up.requests.empty());
  *model.silent = false;
  EXPECT_EQ(session.Replay(rows, Once(2), {}, Soon()).requests.size(), 2U);
}

TEST(AgentSessionTest, TellsAnOomKillFromACrash) {
  FakeClock clock;
  FakeModel model;
  model.status = [](const std::string& row) { return row == "die" ? 0 : 200; };
  FakeAgentLink crashing(model, kAmple, false, clock);
  AgentSession crashed(crashing, clock);
  crashed.Start({});
  ASSERT_TRUE(crashed.AwaitReady({}, Soon()).has_value());
  EXPECT_TRUE(crashed.Replay({"die"}, Once(1), {}, Soon()).target_lost);
  EXPECT_EQ(crashed.Death().oom_kills, 0);
  EXPECT_EQ(crashed.Death().signal, SIGSEGV);

  FakeAgentLink starving({}, {Cores(1.0), MiB(150)}, false, clock);
  AgentSession starved(starving, clock);
  starved.Start({});
  ASSERT_TRUE(starved.AwaitReady({}, Soon()).has_value());
  EXPECT_TRUE(starved.Replay({"x"}, Once(1), {}, Soon()).target_lost);
  EXPECT_EQ(starved.Death().oom_kills, 1);
}

TEST(AgentSessionTest, SaysWhyTheModelDidNotStart) {
  FakeClock clock;
  FakeModel model;
  model.start_failure = "/server: No such file or directory";
  FakeAgentLink link(model, kAmple, false, clock);
  AgentSession session(link, clock);
  session.Start({});
  EXPECT_FALSE(session.AwaitReady({}, Soon()).has_value());
  EXPECT_EQ(session.Death().start_failed, "/server: No such file or directory");
}

ReplayPlan Paced(double rate, std::chrono::milliseconds time) {
  ReplayPlan plan;
  plan.order = {0};
  plan.open_loop = OpenLoop{rate, Arrivals::kConstant};
  plan.max_time = time;
  return plan;
}

TEST(AgentSessionTest, KeepsARateThatTheModelCanServe) {
  FakeClock clock;
  FakeAgentLink link({}, kAmple, false, clock);  // 2 ms a row, one after the other
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const auto began = clock.Now();
  const ReplayResult result =
      session.Replay({"a"}, Paced(100, std::chrono::seconds(10)), {}, Soon());
  ASSERT_EQ(result.requests.size(), 1000U);
  for (const RequestRecord& request : result.requests) {
    EXPECT_EQ(request.latency_us, 2000U);
    EXPECT_EQ(request.lag_us, 0U);
  }
  EXPECT_EQ(clock.Now() - began, std::chrono::milliseconds(9992));
  EXPECT_EQ(result.late + result.unsent, 0);
}

TEST(AgentSessionTest, LetsLatencyGrowWhereTheModelCannotKeepTheRate) {
  FakeClock clock;
  FakeAgentLink link({}, kAmple, false, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const ReplayResult result =
      session.Replay({"a"}, Paced(1000, std::chrono::seconds(2)), {}, Soon());
  // A model of 500 rows a second leaves half of them waiting: the last for a second or so.
  EXPECT_EQ(static_cast<std::int64_t>(result.requests.size()) + result.unsent, 2000);
  EXPECT_GT(result.requests.back().latency_us, 800'000U);
}

TEST(AgentSessionTest, EndsAnOpenLoopWhoseModelDied) {
  FakeClock clock;
  FakeModel model;
  model.status = [](const std::string& row) { return row == "die" ? 0 : 200; };
  FakeAgentLink link(model, kAmple, false, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  ReplayPlan plan = Paced(100, std::chrono::hours(1));
  plan.order = {0, 0, 1};
  const ReplayResult result = session.Replay({"live", "die"}, plan, {}, Soon());
  EXPECT_TRUE(result.target_lost);
  EXPECT_EQ(result.requests.size(), 2U);
}

TEST(AgentSessionTest, StopsWhenAsked) {
  FakeModel model;
  *model.silent = true;
  FakeClock clock;
  FakeAgentLink link(model, kAmple, false, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(session.Replay({"a"}, Once(1), stop.get_token(), Soon()).stopped);
}

}  // namespace
}  // namespace mlprof
