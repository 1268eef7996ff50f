#include "server/replay/row_feed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

#include "server/replay/agent_session.h"
#include "tests/fakes/fake_agent_link.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kLong{20};

// Rows that must be read: row 3 is "3". `broken` cannot be.
class ReadRows final : public RowSource {
 public:
  explicit ReadRows(std::size_t count, std::size_t size = 0, std::int64_t broken = -1)
      : count_(count), size_(size), broken_(broken) {}

  std::size_t count() const override { return count_; }
  Bytes SizeOf(std::uint32_t row) const override { return Bytes(std::ssize(TextOf(row))); }
  Status Read(std::uint32_t row, std::string& into) const override {
    ++reads;
    if (row == broken_) return Fail(Internal("the disk is broken"));
    into = TextOf(row);
    return {};
  }

  mutable std::atomic<std::size_t> reads = 0;

 private:
  std::string TextOf(std::uint32_t row) const {
    std::string text = std::to_string(row);
    return text + std::string(size_, ' ');
  }

  const std::size_t count_;
  const std::size_t size_;
  const std::int64_t broken_;
};

// A feed and whoever waits for its rows.
class Waiting {
 public:
  Waiting(const RowSource& rows, std::vector<std::uint32_t> order)
      : order_(std::move(order)), feed(rows, order_, [this] { read_.release(); }) {}

  /// False where the row will not come.
  bool Await() {
    if (feed.Ready()) return true;
    EXPECT_TRUE(read_.try_acquire_for(kLong));
    return feed.Ready();
  }
  std::string Next() { return Await() ? feed.Take() : "none"; }

 private:
  const std::vector<std::uint32_t> order_;
  std::counting_semaphore<> read_{0};

 public:
  RowFeed feed;
};

TEST(RowFeedTest, GivesTheRowsInTheirOrderOverAndOver) {
  const ReadRows rows(3);
  const HeldRows held({"0", "1", "2"});
  for (const RowSource* source :
       {static_cast<const RowSource*>(&rows), static_cast<const RowSource*>(&held)}) {
    Waiting waiting(*source, {2, 0, 1, 0});
    std::string all;
    for (int i = 0; i < 6; ++i) all += waiting.Next();
    EXPECT_EQ(all, "201020");
  }
}

TEST(RowFeedTest, ReadsNoMoreAheadThanItsBound) {
  const ReadRows large(100, 1 << 20);
  const ReadRows small(100'000);
  Waiting of_large(large, {0});
  Waiting of_small(small, {0});
  ASSERT_TRUE(of_large.Await() && of_small.Await());
  // So many are read for sure, and nobody took one.
  const std::size_t most_large = static_cast<std::size_t>(RowFeed::kMostAhead.count() >> 20);
  for (const auto& [rows, most] :
       {std::pair(&large, most_large), std::pair(&small, RowFeed::kMostRowsAhead)}) {
    const auto deadline = Deadline::After(kLong);
    while (rows->reads < most && !deadline.Passed()) std::this_thread::yield();
    EXPECT_EQ(rows->reads, most);
  }
}

TEST(RowFeedTest, SaysWhyARowWillNotCome) {
  const ReadRows rows(3, 0, 1);
  Waiting waiting(rows, {0, 1, 2});
  EXPECT_EQ(waiting.Next(), "0");
  EXPECT_FALSE(waiting.Await());
  ASSERT_TRUE(waiting.feed.error());
  EXPECT_EQ(waiting.feed.error()->message(), "the disk is broken");
}

TEST(RowFeedTest, HeldRowsTakeNoThreadAndNoTelling) {
  const HeldRows rows({"a"});
  const std::vector<std::uint32_t> order = {0};
  RowFeed feed(rows, order, [] { FAIL(); });
  EXPECT_TRUE(feed.Ready());
  EXPECT_EQ(feed.Take(), "a");
}

ReplayPlan EachOnce(std::uint32_t rows) {
  ReplayPlan plan;
  for (std::uint32_t i = 0; i < rows; ++i) plan.order.push_back(i);
  plan.max_requests = rows;
  return plan;
}

ReplayResult Replay(const RowSource& rows, const ReplayPlan& plan) {
  FakeClock clock;
  FakeAgentLink link({}, {Cores(2.0), GiB(1)}, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  EXPECT_TRUE(session.AwaitReady({}, Deadline::After(kLong)).has_value());
  return session.Replay(rows, plan, {}, Deadline::After(kLong));
}

TEST(AgentSessionTest, ReplaysRowsThatAreReadMeanwhile) {
  const ReadRows rows(5000);
  const ReplayResult result = Replay(rows, EachOnce(5000));
  ASSERT_EQ(result.requests.size(), 5000U);
  EXPECT_EQ(result.failures, 0);
  for (const RequestRecord& request : result.requests) EXPECT_EQ(request.latency_us, 2000U);
}

TEST(AgentSessionTest, PacesRowsThatAreReadMeanwhile) {
  ReplayPlan plan;
  plan.order = {0, 1};
  plan.open_loop = OpenLoop{100, Arrivals::kConstant};
  plan.max_time = std::chrono::seconds(5);
  const ReplayResult result = Replay(ReadRows(2), plan);
  EXPECT_EQ(std::ssize(result.requests) + result.unsent, 500);
}

// A disk that takes so long for a row, on the clock of the replay.
class SlowRows final : public RowSource {
 public:
  explicit SlowRows(FakeClock& clock) : clock_(clock) {}
  std::size_t count() const override { return 20; }
  Bytes SizeOf(std::uint32_t) const override { return RowFeed::kMostAhead; }
  Status Read(std::uint32_t, std::string& into) const override {
    clock_.Pass(std::chrono::milliseconds(50));
    into.assign(static_cast<std::size_t>(RowFeed::kMostAhead.count()), 'x');  // none is read ahead
    return {};
  }

 private:
  FakeClock& clock_;
};

TEST(AgentSessionTest, SaysThatAReplayWaitedForItsRows) {
  FakeClock clock;
  FakeAgentLink link({}, {Cores(2.0), GiB(1)}, {}, clock);
  AgentSession session(link, clock);
  session.Start({});
  ASSERT_TRUE(session.AwaitReady({}, Deadline::After(kLong)).has_value());
  ReplayPlan plan = EachOnce(20);
  plan.concurrency = 8;
  const ReplayResult result = session.Replay(SlowRows(clock), plan, {}, Deadline::After(kLong));
  ASSERT_TRUE(result.unread);
  EXPECT_NE(result.unread->message().find("as fast as they were to be sent"), std::string::npos);
}

TEST(AgentSessionTest, SaysNothingOfTheDiskWhereTheModelIsTheSlowerOne) {
  EXPECT_FALSE(Replay(ReadRows(500), EachOnce(500)).unread);
}

TEST(AgentSessionTest, EndsAReplayOneOfWhoseRowsCannotBeRead) {
  const ReplayResult result = Replay(ReadRows(10, 0, 4), EachOnce(10));
  ASSERT_TRUE(result.unread);
  EXPECT_EQ(result.unread->message(), "the disk is broken");
  EXPECT_LE(result.requests.size(), 4U);
  EXPECT_FALSE(result.target_lost);
  EXPECT_FALSE(result.cut_off);
}

}  // namespace
}  // namespace mlprof::server
