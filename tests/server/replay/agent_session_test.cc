#include "server/replay/agent_session.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/fakes/fake_agent_link.h"
#include "tests/fakes/soon.h"

namespace mlprof::server {
namespace {

const Limits kAmple{Cores(2.0), GiB(1)};

ReplayPlan Once(std::size_t rows) {
  ReplayPlan plan;
  for (std::uint32_t i = 0; i < rows; ++i) plan.order.push_back(i);
  plan.max_requests = rows;
  return plan;
}

using fakes::Soon;

// Says what a test makes it say, on the test's own thread.
class ToldLink final : public AgentLink {
 public:
  void Listen(AgentListener* listener) override { listener_ = listener; }
  void Start(const agent_protocol::Start&) override {}
  void SetConnections(const agent_protocol::Connections& connections) override {
    said_ += std::to_string(connections.held) + " held, ";
  }
  void SendRow(agent_protocol::Row) override { said_ += "row, "; }
  void TakeCensus(const agent_protocol::CensusQuestion&) override {}
  void Stop(const agent_protocol::Stop&) override {}
  Result<std::unique_ptr<PortStream>> Connect(int, Deadline) override {
    return Fail(ErrorCode::kUnavailable, "no ports");
  }

  /// What the session said, since this was last asked.
  std::string Said() { return std::exchange(said_, ""); }

  void TellReady() { listener_->OnReady({}); }
  void TellChildDied(int signal, const std::string& name = "") {
    agent_protocol::ProcessEvent event;
    event.kind = agent_protocol::ProcessEvent::Kind::kChildDied;
    event.signal = signal;
    event.detail = name;
    listener_->OnProcessEvent(event);
  }
  void TellOomKills(std::int64_t so_far) {
    agent_protocol::ProcessEvent event;
    event.kind = agent_protocol::ProcessEvent::Kind::kOomKill;
    event.oom_kills = so_far;
    listener_->OnProcessEvent(event);
  }

 private:
  std::string said_;
  AgentListener* listener_ = nullptr;
};

TEST(AgentSessionTest, ReplaysEveryRowOfAModelThatResponds) {
  FakeClock clock;
  FakeAgentLink link({}, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const HeldRows rows({"a", "b", "c"});
  const ReplayResult result = session.Replay(rows, Once(3), {}, Soon());
  EXPECT_EQ(result.requests.size(), 3U);
  EXPECT_EQ(result.failures, 0);
  EXPECT_FALSE(result.target_lost);
  EXPECT_EQ(result.requests[0].latency_us, 2000U);
  EXPECT_EQ(session.LastSample()->unreclaimable, MiB(200));
}

// With a model that answers nothing, until it is told to.
class SilentSessionTest : public testing::Test {
 protected:
  SilentSessionTest() {
    *model.silent = true;
    session.Start({});
    EXPECT_TRUE(session.AwaitReady({}, Soon()).has_value());
  }

  FakeModel model;
  FakeClock clock;
  FakeAgentLink link{model, kAmple, {}, clock};
  AgentSession session{link, clock};
  const HeldRows rows{{"a", "b"}};
};

TEST_F(SilentSessionTest, KeepsAReplayFreeOfTheLateResponsesOfTheOneBefore) {
  const ReplayResult given_up =
      session.Replay(rows, Once(2), {}, Deadline::After(std::chrono::milliseconds(20)));
  EXPECT_TRUE(given_up.requests.empty());
  *model.silent = false;
  EXPECT_EQ(session.Replay(rows, Once(2), {}, Soon()).requests.size(), 2U);
}

TEST_F(SilentSessionTest, EndsAReplayAsItsDeadlineDoesWhereItsWatcherHasSeenEnough) {
  int looks = 0;
  const ReplayResult given_up =
      session.Replay(rows, Once(2), {}, Soon(), [&](const LiveReplay& live) {
        EXPECT_EQ(live.responses, 0U);
        return ++looks < 2;
      });
  EXPECT_EQ(looks, 2);
  EXPECT_TRUE(given_up.cut_off);
  EXPECT_TRUE(given_up.requests.empty());
}

TEST(AgentSessionTest, TellsAnOomKillFromACrash) {
  FakeClock clock;
  FakeModel model;
  model.status = [](const std::string& row) { return row == "die" ? 0 : 200; };
  FakeAgentLink crashing(model, kAmple, {}, clock);
  AgentSession crashed(crashing, clock);
  crashed.Start({});
  ASSERT_TRUE(crashed.AwaitReady({}, Soon()).has_value());
  EXPECT_TRUE(crashed.Replay(HeldRows({"die"}), Once(1), {}, Soon()).target_lost);
  EXPECT_EQ(crashed.Death().oom_kills, 0);
  EXPECT_EQ(crashed.Death().signal, SIGSEGV);

  FakeAgentLink starving({}, {Cores(1.0), MiB(150)}, {}, clock);
  AgentSession starved(starving, clock);
  starved.Start({});
  ASSERT_TRUE(starved.AwaitReady({}, Soon()).has_value());
  EXPECT_TRUE(starved.Replay(HeldRows({"x"}), Once(1), {}, Soon()).target_lost);
  EXPECT_EQ(starved.Death().oom_kills, 1);
}

TEST(AgentSessionTest, NamesTheFirstThatTheKernelKilled) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  link.TellChildDied(0, "replaced");
  EXPECT_EQ(session.Death().killed_process, "");
  link.TellOomKills(1);
  link.TellChildDied(SIGSEGV, "another");
  EXPECT_EQ(session.Death().killed_process, "") << "it was not killed";
  link.TellChildDied(0, "too late to be told apart");
  EXPECT_EQ(session.Death().killed_process, "");
  link.TellOomKills(2);
  link.TellChildDied(0, "gunicorn\x1b");
  link.TellOomKills(3);
  link.TellChildDied(SIGKILL, "python3");
  EXPECT_EQ(session.Death().killed_process, "gunicorn?");
}

TEST(AgentSessionTest, SaysWhyTheModelDidNotStart) {
  FakeClock clock;
  FakeModel model;
  model.start_failure = "/server: No such file or directory";
  FakeAgentLink link(model, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  EXPECT_FALSE(session.AwaitReady({}, Soon()).has_value());
  EXPECT_EQ(session.Death().start_failed, "/server: No such file or directory");
}

TEST(AgentSessionTest, TellsAWorkerThatWasReplacedFromOneThatDied) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  link.TellChildDied(0);
  link.TellChildDied(0);
  EXPECT_EQ(session.children_replaced(), 2);
  EXPECT_EQ(session.children_lost(), 0);
  link.TellChildDied(SIGSEGV);
  EXPECT_EQ(session.children_replaced(), 2);
  EXPECT_EQ(session.children_lost(), 1);
  link.TellOomKills(1);
  EXPECT_EQ(session.children_replaced(), 0);
}

TEST(AgentSessionTest, TakesACensus) {
  FakeClock clock;
  FakeModel model;
  model.workers = 3;
  FakeAgentLink link(model, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  EXPECT_EQ(session.TakeCensus({}, Soon()).value().processes.size(), 4U);
}

TEST(AgentSessionTest, WaitsForNoCensusBeyondItsDeadline) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  EXPECT_FALSE(session.TakeCensus({}, Deadline::After(std::chrono::milliseconds(5))));
}

TEST(AgentSessionTest, GivesUpAStartThatIsKilledForMemoryTwice) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  link.TellOomKills(1);
  link.TellOomKills(2);
  const auto began = clock.Now();
  const auto ready = session.AwaitReady({}, Soon());
  ASSERT_FALSE(ready.has_value());
  EXPECT_EQ(ready.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(session.Death().oom_kills, 2);
  EXPECT_TRUE(session.lost());
  EXPECT_EQ(clock.Now(), began);
}

TEST(AgentSessionTest, GivesUpAStartTwoSecondsAfterItWasKilledForMemory) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  link.TellOomKills(1);
  const auto began = clock.Now();
  EXPECT_FALSE(session.AwaitReady({}, Soon()).has_value());
  EXPECT_TRUE(session.lost());
  EXPECT_EQ(clock.Now() - began, std::chrono::seconds(2));
}

TEST(AgentSessionTest, TakesAModelThatGetsReadyAlthoughItWasKilledForMemoryOnce) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  link.TellOomKills(1);
  link.TellReady();
  EXPECT_TRUE(session.AwaitReady({}, Soon()).has_value());
  EXPECT_FALSE(session.lost());
  EXPECT_EQ(session.Death().oom_kills, 1);
}

TEST(AgentSessionTest, KeepsTheDeadlineOfAStartThatWasKilledForMemory) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  link.TellOomKills(1);
  const auto ready = session.AwaitReady({}, Deadline::After(std::chrono::seconds(0)));
  ASSERT_FALSE(ready.has_value());
  EXPECT_EQ(ready.error().code(), ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(session.Death().oom_kills, 1);
}

TEST(AgentSessionTest, SaysOverWhichConnectionsTheRowsGoWhereThatChanges) {
  FakeClock clock;
  ToldLink link;
  AgentSession session(link, clock);
  const HeldRows rows({"a"});
  const Deadline at_once = Deadline::After(std::chrono::seconds(0));
  session.Replay(rows, Once(1), {}, at_once);
  EXPECT_EQ(link.Said(), "row, ");
  ReplayPlan held = Once(1);
  held.connections = {agent_protocol::Connections::Policy::kManyHeld, 8};
  session.Replay(rows, held, {}, at_once);
  EXPECT_EQ(link.Said(), "8 held, row, ");
  session.Replay(rows, held, {}, at_once);
  EXPECT_EQ(link.Said(), "row, ");
  session.Replay(rows, Once(1), {}, at_once);
  EXPECT_EQ(link.Said(), "0 held, row, ");
}

// Every row after the other, to the one that a worker dies of.
ReplayResult ReplayToTheKill(const Rows& rows, int status_of_bad) {
  FakeModel model;
  model.forks = true;
  model.status = [=](const std::string& row) { return row == "bad" ? status_of_bad : 200; };
  FakeClock clock;
  FakeAgentLink link(model, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  EXPECT_TRUE(session.AwaitReady({}, Soon()).has_value());
  ReplayPlan plan = Once(rows.size());
  plan.ends_at_kill = true;
  return session.Replay(HeldRows(rows), plan, {}, Soon());
}

TEST(AgentSessionTest, EndsAReplayWithTheRowThatAWorkerDiedOf) {
  const std::vector<Rows> datasets = {{"good", "bad", "good"}, {"good", "bad"}};
  for (const Rows& rows : datasets) {
    const ReplayResult result = ReplayToTheKill(rows, 0);
    EXPECT_EQ(result.killer, 1U);
    EXPECT_EQ(result.requests.size(), 2U);
    EXPECT_FALSE(result.target_lost);
    EXPECT_FALSE(result.cut_off);
  }
}

TEST(AgentSessionTest, GoesOnBehindARowThatOnlyItsConnectionBroke) {
  const ReplayResult result = ReplayToTheKill({"good", "bad", "good"}, -1);
  EXPECT_FALSE(result.killer);
  EXPECT_EQ(result.requests.size(), 3U);
  EXPECT_EQ(result.failures, 1);
}

TEST(AgentSessionTest, LosesTheTargetWhereTheModelDiesBehindABrokenConnection) {
  FakeModel model;
  model.resets_first = true;
  model.status = [](const std::string& row) { return row == "bad" ? 0 : 200; };
  FakeClock clock;
  FakeAgentLink link(model, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  ReplayPlan plan = Once(3);
  plan.ends_at_kill = true;
  const ReplayResult result = session.Replay(HeldRows({"good", "bad", "good"}), plan, {}, Soon());
  EXPECT_TRUE(result.target_lost);
  EXPECT_EQ(result.LastRowTaken(), 1U);
  EXPECT_EQ(result.requests.size(), 2U);
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
  FakeAgentLink link({}, kAmple, {}, clock);  // 2 ms a row, one after the other
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const auto began = clock.Now();
  const ReplayResult result =
      session.Replay(HeldRows({"a"}), Paced(100, std::chrono::seconds(10)), {}, Soon());
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
  FakeAgentLink link({}, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  const ReplayResult result =
      session.Replay(HeldRows({"a"}), Paced(1000, std::chrono::seconds(2)), {}, Soon());
  // A model of 500 rows a second leaves half of them waiting: the last for a second or so.
  EXPECT_EQ(static_cast<std::int64_t>(result.requests.size()) + result.unsent, 2000);
  EXPECT_GT(result.requests.back().latency_us, 800'000U);
}

TEST(AgentSessionTest, EndsAnOpenLoopWhoseModelDied) {
  FakeClock clock;
  FakeModel model;
  model.status = [](const std::string& row) { return row == "die" ? 0 : 200; };
  FakeAgentLink link(model, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  ReplayPlan plan = Paced(100, std::chrono::hours(1));
  plan.order = {0, 0, 1};
  const ReplayResult result = session.Replay(HeldRows({"live", "die"}), plan, {}, Soon());
  EXPECT_TRUE(result.target_lost);
  EXPECT_EQ(result.requests.size(), 2U);
}

TEST(AgentSessionTest, StopsWhenAsked) {
  FakeModel model;
  *model.silent = true;
  FakeClock clock;
  FakeAgentLink link(model, kAmple, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Soon()).has_value());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(session.Replay(HeldRows({"a"}), Once(1), stop.get_token(), Soon()).stopped);
}

}  // namespace
}  // namespace mlprof::server
