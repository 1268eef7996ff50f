#include "server/profiling/queue/event_hub.h"

#include <gtest/gtest.h>

#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

// A profile that is never run: it waits behind one whose rows are never answered.
class EventHubTest : public testing::Test {
 protected:
  EventHubTest() : bench_(SilentModel()) {
    bench_.RegisterInputs(TextRows(20));
    const auto budget = std::chrono::seconds(300);
    EXPECT_TRUE(
        bench_.service().Create("default", bench_.Request("first", budget), {}).has_value());
    id_ = bench_.service().Create("default", bench_.Request("p", budget), {})->profile.id;
  }

  static FakeModel SilentModel() {
    FakeModel model;
    *model.silent = true;
    return model;
  }
  std::vector<std::string> TypesAfter(std::int64_t id) {
    std::vector<std::string> types;
    for (auto page = bench_.events().After(id_, id); !page->empty();
         page = bench_.events().After(id_, id)) {
      for (const StoredEvent& event : *page) types.push_back(event.type);
      id = page->back().id;
    }
    return types;
  }
  static Bytes SizeOf(const std::vector<StoredEvent>& page) {
    Bytes size;
    for (const StoredEvent& event : page) size += event.size();
    return size;
  }

  ProfilingBench bench_;
  std::string id_;
};

TEST_F(EventHubTest, GivesEventsInOrderAfterTheLastOneSeen) {
  bench_.events().PublishStored(id_, "phase", Json::object());
  bench_.events().Publish(id_, "progress", Json::object());
  bench_.events().PublishStored(id_, "trial", Json::object());
  EXPECT_EQ(TypesAfter(0), (std::vector<std::string>{"phase", "progress", "trial"}));
  EXPECT_EQ(TypesAfter(2), (std::vector<std::string>{"trial"}));
  EXPECT_TRUE(TypesAfter(3).empty());
}

TEST_F(EventHubTest, IsOpenFromTheFirstEventUntilItIsForgotten) {
  bench_.events().Forget(id_);
  EXPECT_FALSE(bench_.events().IsOpen(id_));
  bench_.events().PublishStored(id_, "done", Json::object());
  EXPECT_TRUE(bench_.events().IsOpen(id_));
  bench_.events().Forget(id_);
  EXPECT_FALSE(bench_.events().IsOpen(id_));
}

// Who cancels a profile and who begins to run it may be two threads.
TEST_F(EventHubTest, TakesNothingAfterTheLastEvent) {
  bench_.events().PublishStored(id_, "phase", Json::object());
  bench_.events().PublishStored(id_, "done", Json::object());
  bench_.events().PublishStored(id_, "phase", Json::object());
  EXPECT_EQ(TypesAfter(0), (std::vector<std::string>{"phase", "done"}));
  bench_.events().Forget(id_);
  bench_.events().PublishStored(id_, "phase", Json::object());
  bench_.events().Publish(id_, "progress", Json::object());
  EXPECT_EQ(TypesAfter(0), (std::vector<std::string>{"phase", "done"}));
  EXPECT_FALSE(bench_.events().IsOpen(id_));
}

TEST_F(EventHubTest, KeepsStoredEventsAndTheirIdsOverARestart) {
  bench_.events().PublishStored(id_, "phase", Json::object());
  bench_.events().Publish(id_, "progress", Json::object());
  bench_.events().PublishStored(id_, "trial", Json::object());
  bench_.Restart();
  EXPECT_EQ(TypesAfter(0), (std::vector<std::string>{"phase", "trial"}));
  bench_.events().PublishStored(id_, "done", Json::object());
  const auto after = bench_.events().After(id_, 3);
  ASSERT_EQ(after->size(), 1U);
  EXPECT_EQ(after->front().id, 4);
}

TEST_F(EventHubTest, FillsInStoredEventsForAReaderWhoFellBehindTheRing) {
  bench_.events().PublishStored(id_, "phase", Json::object());
  for (int i = 0; i < 2000; ++i) bench_.events().Publish(id_, "progress", Json::object());
  bench_.events().PublishStored(id_, "done", Json::object());
  const auto types = TypesAfter(0);
  EXPECT_EQ(types.front(), "phase");
  EXPECT_EQ(types.back(), "done");
}

TEST_F(EventHubTest, GivesLongEventsInPagesOfBoundedBytesAndSkipsNone) {
  constexpr int kEvents = 100;  // more than the ring takes
  const Json data = {{"text", std::string(60'000, 'x')}};
  for (int i = 0; i < kEvents; ++i) bench_.events().PublishStored(id_, "log", data);
  std::int64_t last = 0;
  for (;;) {
    const auto page = bench_.events().After(id_, last);
    ASSERT_TRUE(page.has_value());
    if (page->empty()) break;
    EXPECT_LE(SizeOf(*page), EventLimit().bytes);
    for (const StoredEvent& event : *page) EXPECT_EQ(event.id, ++last);
  }
  EXPECT_EQ(last, kEvents);
}

TEST_F(EventHubTest, GivesAPageOfItsRingAtMost) {
  for (int i = 0; i < 200; ++i) bench_.events().Publish(id_, "progress", Json::object());
  EXPECT_EQ(bench_.events().After(id_, 0)->size(), EventLimit().count);
  EXPECT_EQ(TypesAfter(0).size(), 200U);
}

TEST_F(EventHubTest, KeepsNoMoreThanAMebibyteInMemory) {
  const Json data = {{"text", std::string(60'000, 'x')}};
  for (int i = 0; i < 100; ++i) bench_.events().Publish(id_, "sample", data);
  const std::size_t kept = TypesAfter(0).size();
  EXPECT_GE(kept, 10U);
  EXPECT_LE(kept, 17U);
}

TEST_F(EventHubTest, KnowsTheNewestEventInMemoryOrStored) {
  EXPECT_FALSE(bench_.events().Newest(id_).value());
  bench_.events().PublishStored(id_, "phase", Json::object());
  bench_.events().Publish(id_, "progress", Json::object());
  EXPECT_EQ(bench_.events().Newest(id_).value()->id, 2);
  bench_.events().Forget(id_);
  EXPECT_EQ(bench_.events().Newest(id_).value()->type, "phase");
}

TEST_F(EventHubTest, GoesOnBehindWhatIsStoredAfterItsRingIsGone) {
  for (int i = 0; i < 3; ++i) bench_.events().PublishStored(id_, "trial", Json::object());
  bench_.events().Forget(id_);
  bench_.events().PublishStored(id_, "done", Json::object());
  EXPECT_EQ(bench_.events().Newest(id_).value()->id, 4);
  EXPECT_EQ(TypesAfter(1), (std::vector<std::string>{"trial", "trial", "done"}));
}

TEST_F(EventHubTest, WakesAWaitingReaderOnce) {
  int woken = 0;
  bench_.events().WhenAfter(id_, 0, [&] { ++woken; });
  EXPECT_EQ(woken, 0);
  bench_.events().Publish(id_, "progress", Json::object());
  bench_.events().Publish(id_, "progress", Json::object());
  EXPECT_EQ(woken, 1);
  bench_.events().WhenAfter(id_, 0, [&] { ++woken; });
  EXPECT_EQ(woken, 2);
}

TEST_F(EventHubTest, ShowsAnEventWhileTheDiskStillTakesIt) {
  const auto blocker = std::move(*Connection::Open(bench_.database_file(), Access::kReadWrite));
  bench_.events().Publish(id_, "progress", Json::object());
  ASSERT_TRUE(blocker->Execute("BEGIN IMMEDIATE").has_value());
  const auto publishing = std::async(
      std::launch::async, [&] { bench_.events().PublishStored(id_, "done", Json::object()); });
  bench_.AwaitUntil([&] { return TypesAfter(1) == std::vector<std::string>{"done"}; });
  EXPECT_EQ(publishing.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  ASSERT_TRUE(blocker->Execute("ROLLBACK").has_value());
}

TEST_F(EventHubTest, CallsWhoWaitsForAProfileThatIsForgotten) {
  int woken = 0;
  bench_.events().WhenAfter(id_, 0, [&] { ++woken; });
  bench_.events().Forget(id_);
  EXPECT_EQ(woken, 1);
}

TEST_F(EventHubTest, WaitingOpensNothing) {
  bench_.events().Forget(id_);
  int woken = 0;
  bench_.events().WhenAfter(id_, 0, [&] { ++woken; });
  EXPECT_FALSE(bench_.events().IsOpen(id_));
  bench_.events().Forget(id_);
  EXPECT_EQ(woken, 1);
  bench_.events().PublishToWatchers(id_, "progress", Json::object());
  EXPECT_FALSE(bench_.events().IsOpen(id_));
}

TEST_F(EventHubTest, CallsAtOnceForAStoredEventWhoseRingIsGone) {
  bench_.events().PublishStored(id_, "done", Json::object());
  bench_.events().Forget(id_);
  int woken = 0;
  bench_.events().WhenAfter(id_, 0, [&] { ++woken; });
  EXPECT_EQ(woken, 1);
}

TEST_F(EventHubTest, PublishesToWatchersOnlyWhereThereAreSome) {
  bench_.events().Forget(id_);
  bench_.events().PublishToWatchers(id_, "progress", Json::object());
  EXPECT_FALSE(bench_.events().IsOpen(id_));
  int woken = 0;
  bench_.events().WhenAfter(id_, 0, [&] { ++woken; });
  bench_.events().PublishToWatchers(id_, "progress", Json::object());
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace mlprof::server
