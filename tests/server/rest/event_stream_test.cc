#include "server/rest/event_stream.h"

#include <gmock/gmock.h>

#include "server/storage/database.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;

TEST(FormatEventTest, KeepsTheDataOnOneLine) {
  EXPECT_EQ(FormatEvent({7, "log", DumpJson({{"text", "a\nb"}})}),
            "id: 7\nevent: log\ndata: {\"text\":\"a\\nb\"}\n\n");
}

class EventStreamTest : public testing::Test {
 protected:
  void Wait() {
    EXPECT_EQ(stream_.Read(), "");
    stream_.OnReady([this] { ++woken_; });
  }

  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  ProfileRepository profiles_{*database_};
  const std::string id_ = profiles_.Create(ExampleProfile("p"), {}, false).value().profile.id;
  EventHub hub_{profiles_};
  bool over_ = false;
  std::function<void()> when_asked_ = [] {};
  int woken_ = 0;
  EventStream stream_{hub_, id_, 0, [this] {
                        when_asked_();
                        return over_ && !hub_.IsOpen(id_);
                      }};
};

TEST_F(EventStreamTest, EndsWithAProfileWhoseLastEventWasNotStored) {
  hub_.PublishStored(id_, "phase", Json::object());
  EXPECT_THAT(stream_.Read().value_or(""), HasSubstr("event: phase"));
  Wait();
  EXPECT_EQ(woken_, 0);
  over_ = true;
  hub_.Forget(id_);
  EXPECT_EQ(woken_, 1);
  EXPECT_EQ(stream_.Read(), std::nullopt);
  EXPECT_FALSE(hub_.IsOpen(id_));
}

TEST_F(EventStreamTest, EndsWhereTheProfileEndedJustBeforeItWaits) {
  EXPECT_THAT(stream_.Read().value_or(""), HasSubstr("retry"));
  EXPECT_EQ(stream_.Read(), "");
  over_ = true;
  hub_.Forget(id_);
  stream_.OnReady([this] { ++woken_; });
  EXPECT_EQ(woken_, 1);
  EXPECT_EQ(stream_.Read(), std::nullopt);
  hub_.Forget(id_);
  EXPECT_EQ(woken_, 1);  // once is enough
}

TEST_F(EventStreamTest, LeavesNothingBehindWhereItsClientGoesWhileItWaits) {
  EXPECT_THAT(stream_.Read().value_or(""), HasSubstr("retry"));
  Wait();
  for (int i = 0; i < 1000; ++i) {
    EventStream gone(hub_, id_, 0, [] { return false; });
    EXPECT_TRUE(gone.Read());
    gone.OnReady([this] { ++woken_; });
  }
  EXPECT_EQ(hub_.CountWaiting(id_), 1u);
  hub_.PublishStored(id_, "phase", Json::object());
  EXPECT_EQ(woken_, 1);
}

TEST_F(EventStreamTest, ReadsAPageOnlyWhenTheOneBeforeIsTaken) {
  constexpr int kEvents = 40;
  const std::string text(60'000, 'x');
  for (int i = 0; i < kEvents; ++i) hub_.PublishStored(id_, "log", {{"text", text}});
  hub_.PublishStored(id_, "done", Json::object());
  std::string all;
  int pieces = 0;
  for (auto piece = stream_.Read(); piece; piece = stream_.Read()) {
    EXPECT_LE(piece->size(), std::size_t{130 << 10});
    all += *piece;
    ++pieces;
  }
  EXPECT_GE(pieces, kEvents / 2);
  for (int id = 1; id <= kEvents + 1; ++id) {
    EXPECT_THAT(all, HasSubstr("id: " + std::to_string(id) + "\n"));
  }
}

TEST_F(EventStreamTest, MissesNoLastEventThatComesWhileItAsks) {
  EXPECT_THAT(stream_.Read().value_or(""), HasSubstr("retry"));
  when_asked_ = [this] {
    hub_.PublishStored(id_, "done", Json::object());
    hub_.Forget(id_);
    over_ = true;
  };
  EXPECT_THAT(stream_.Read().value_or(""), HasSubstr("event: done"));
  EXPECT_EQ(stream_.Read(), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
