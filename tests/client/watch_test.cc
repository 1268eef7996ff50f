#include "client/cli/watch/watch.h"

#include "client/cli/watch/live_figures.h"
#include "client/cli/watch/progress_view.h"
#include "tests/client/cli_fixture.h"
#include "tests/fakes/refused_threads.h"

namespace mlprof::client::cli {
namespace {

// Keeps what it is told; a hook runs at each update.
class RecordingView : public ProgressView {
 public:
  void Show(const ProfileUpdate& update) override {
    if (const auto* event = std::get_if<ProfileEvent>(&update)) seen.push_back(event->type);
    if (std::holds_alternative<Profile>(update)) seen.push_back("profile");
    if (on_show) on_show();
  }
  void Tick() override {}
  void Say(const std::string& text) override {
    said.push_back(text);
    if (on_say) on_say();
  }
  void Pause(bool) override {}
  void Finish() override {}

  std::vector<std::string> seen;
  std::vector<std::string> said;
  std::function<void()> on_show;
  std::function<void()> on_say;
};

class WatchTest : public ::testing::Test {
 protected:
  WatchTest() {
    options_.follow = {std::chrono::milliseconds(1), std::chrono::milliseconds(2),
                       std::chrono::milliseconds(30)};
    options_.interrupts = [this](std::function<void()> on_interrupt) -> std::shared_ptr<void> {
      interrupt_ = std::move(on_interrupt);
      return nullptr;
    };
    options_.reply = [](const std::stop_token&) { return true; };
    server_->On("GET /profiles/p1", 200,
                Text(EncodeProfile(SomeProfile(ProfileState::kProfiling))));
  }
  Result<Watched> Watch() {
    Client follower(std::make_unique<FakeTransport>(server_), "default");
    Client control(std::make_unique<FakeTransport>(server_), "default");
    return WatchProfile(follower, control, "p1", view_, options_);
  }
  void Finished(ProfileState state) {
    server_->On("GET /profiles/p1", 200, Text(EncodeProfile(SomeProfile(state))));
  }
  // Open until cancelled; then the profile is cancelled.
  void StaysOpenUntilCancelled() {
    server_->On("GET /profiles/p1/events", [this](const RestRequest&) {
      return FakeResponse{
          200, "", {}, {"id: 1\nevent: progress\ndata: {}\n\n"}, !cancelled_.load(), false};
    });
    server_->On("POST /profiles/p1/cancel", [this](const RestRequest&) {
      cancelled_ = true;
      return FakeResponse{
          202, Text(EncodeProfile(SomeProfile(ProfileState::kProfiling))), {}, {}, false, false};
    });
  }

  std::shared_ptr<FakeServer> server_ = std::make_shared<FakeServer>();
  RecordingView view_;
  WatchOptions options_;
  std::function<void()> interrupt_;
  std::atomic<bool> cancelled_ = false;
};

TEST_F(WatchTest, SaysThatThereIsNoThreadToFollowWith) {
  const fakes::RefusedThreads refused(1);
  const auto watched = Watch();
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_NE(watched.error().message().find("limit of threads"), std::string::npos);
}

TEST_F(WatchTest, ResumesABrokenStreamWhereItBroke) {
  std::atomic<int> connections = 0;
  server_->On("GET /profiles/p1/events", [&](const RestRequest&) {
    const bool first = connections++ == 0;
    if (!first) Finished(ProfileState::kSucceeded);
    return FakeResponse{
        200,   "",
        {},    {first ? "id: 4\nevent: phase\ndata: {}\n\n" : "id: 5\nevent: done\ndata: {}\n\n"},
        false, first};
  });
  ASSERT_TRUE(Watch());
  const auto asked = server_->Asked("GET /profiles/p1/events");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_FALSE(asked[0].headers.contains("Last-Event-ID"));
  EXPECT_EQ(asked[1].headers.at("Last-Event-ID"), "4");
  EXPECT_EQ(view_.seen, (std::vector<std::string>{"phase", "profile", "done"}));
}

TEST_F(WatchTest, AsksForTheProfileWhereThereAreNoEvents) {
  server_->On("GET /profiles/p1/events", 501, "{}");
  view_.on_show = [this] { Finished(ProfileState::kSucceeded); };
  const auto watched = Watch();
  ASSERT_TRUE(watched);
  EXPECT_EQ(watched->profile.value.state, ProfileState::kSucceeded);
  EXPECT_EQ(view_.seen.front(), "profile");
}

TEST_F(WatchTest, GivesUpOnAServerThatStaysAway) {
  server_->GoAway();
  const auto watched = Watch();
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code(), ErrorCode::kUnavailable);
}

TEST_F(WatchTest, NoticesThatTheProfileIsGone) {
  server_->On("GET /profiles/p1", 404, "{}");
  EXPECT_EQ(Watch().error().code(), ErrorCode::kNotFound);
}

TEST_F(WatchTest, AnInterruptLeavesTheProfileRunning) {
  StaysOpenUntilCancelled();
  view_.on_show = [this] { interrupt_(); };
  const auto watched = Watch();
  ASSERT_TRUE(watched);
  EXPECT_TRUE(watched->detached);
  EXPECT_FALSE(cancelled_);
}

TEST_F(WatchTest, AnInterruptCancelsWhereTheServerIsPrivate) {
  StaysOpenUntilCancelled();
  options_.is_private = true;
  options_.cancel_wait = std::chrono::milliseconds(20);
  view_.on_show = [this] {
    view_.on_show = nullptr;
    interrupt_();
  };
  const auto watched = Watch();
  EXPECT_TRUE(cancelled_);
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code(), ErrorCode::kDeadlineExceeded);
}

TEST_F(WatchTest, AsksBeforeItCancels) {
  StaysOpenUntilCancelled();
  options_.can_ask = true;
  options_.cancel_wait = std::chrono::milliseconds(20);
  view_.on_show = [this] {
    view_.on_show = nullptr;
    interrupt_();
  };
  ASSERT_FALSE(Watch());
  EXPECT_TRUE(cancelled_);
  EXPECT_EQ(view_.said.at(0).substr(0, 26), "Cancel the profile? [y/N] ");
}

TEST_F(WatchTest, CancelsWhatTheProfileIsAPartOfWhereItIsOne) {
  StaysOpenUntilCancelled();
  options_.can_ask = true;
  options_.cancel_wait = std::chrono::milliseconds(20);
  int asked = 0;
  options_.subject = {"comparison", [&](Client& control) -> Status {
                        ++asked;
                        const auto cancelled = control.profiles().Cancel("p1");
                        return cancelled ? Status() : Fail(cancelled.error());
                      }};
  view_.on_show = [this] {
    view_.on_show = nullptr;
    interrupt_();
  };
  ASSERT_FALSE(Watch());
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(view_.said.at(0).substr(0, 29), "Cancel the comparison? [y/N] ");
}

TEST_F(WatchTest, ASecondInterruptLeavesWithoutAReply) {
  StaysOpenUntilCancelled();
  options_.can_ask = true;
  options_.reply = [](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    return false;
  };
  view_.on_show = [this] {
    view_.on_show = nullptr;
    interrupt_();
    interrupt_();
  };
  const auto watched = Watch();
  ASSERT_TRUE(watched);
  EXPECT_TRUE(watched->detached);
}

TEST(LiveFiguresTest, TellsAnewWhatAProfileWaitsFor) {
  LiveFigures figures;
  const auto now = std::chrono::steady_clock::now();
  const ProfileEvent away{1, "progress",
                          R"({"phase":"queued","message":"waiting for the engine"})"};
  EXPECT_TRUE(figures.Take(away, now));
  EXPECT_FALSE(figures.Take(away, now));
  EXPECT_EQ(figures.phase, "queued");
  EXPECT_EQ(figures.message, "waiting for the engine");
  EXPECT_TRUE(figures.Take(ProfileEvent{2, "phase", R"({"phase":"prepare"})"}, now));
  EXPECT_FALSE(
      figures.Take(ProfileEvent{3, "progress", R"({"phase":"prepare","message":"m"})"}, now));
}

TEST(LiveFiguresTest, GathersTheLiveLine) {
  LiveFigures figures;
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(figures.Take(ProfileEvent{1, "phase", R"({"phase":"rows","message":"m"})"}, now));
  EXPECT_FALSE(figures.Take(ProfileEvent{2, "phase", R"({"phase":"rows"})"}, now));
  EXPECT_EQ(figures.Live(), "");
  figures.Take(ProfileEvent{3, "sample",
                            R"({"requests":1200,"latencyPercentile95InMs":12.34,"cpuCores":0.351,
                                "memoryInBytes":314572800})"},
               now);
  EXPECT_EQ(figures.Live(), "1200 requests, p95 12.3 ms, 0.35 cores, 300 MiB");
  figures.Take(ProfileEvent{4, "progress", R"({"fraction":7,"secondsLeft":31})"}, now);
  EXPECT_EQ(figures.fraction, 1);
  EXPECT_EQ(*figures.expected_end, now + std::chrono::seconds(31));
  figures.Take(ProfileEvent{5, "sample", "no json"}, now);
}

std::string LastLine(int columns) {
  std::ostringstream err;
  const auto view = TerminalView(err, columns);
  view->Show(ProfileEvent{1, "phase", R"({"phase":"load","message":"m"})"});
  view->Show(ProfileEvent{2, "progress", R"({"fraction":0.5,"message":"m"})"});
  view->Show(ProfileEvent{3, "sample",
                          R"({"requests":1200,"latencyPercentile95InMs":12.34,"cpuCores":0.351,
                              "memoryInBytes":314572800})"});
  view->Tick();
  const std::string text = err.str();
  return text.substr(text.rfind("\033[K") + 3);
}

TEST(TerminalViewTest, ShortensTheBarRatherThanTheFigures) {
  const std::string figures = "50% load: 1200 requests, p95 12.3 ms, 0.35 cores, 300 MiB";
  EXPECT_EQ(LastLine(120), "[##########----------] " + figures);
  EXPECT_EQ(LastLine(72), "[######-----] " + figures);
  EXPECT_EQ(LastLine(60), figures);
}

}  // namespace
}  // namespace mlprof::client::cli
