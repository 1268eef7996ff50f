// More clients than there are places, or descriptors.
#include <gmock/gmock.h>

#include <array>
#include <deque>
#include <thread>

#include "common/http/server.h"
#include "tests/common/http/no_descriptors.h"
#include "tests/common/http/server_fixture.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kGet[] = "GET /text HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr char kStranger[] = "GET /text HTTP/1.1\r\nHost: a\r\nStranger: yes\r\n\r\n";
constexpr char kGetAndClose[] = "GET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

class HttpServerCrowdTest : public HttpServerTest {
 protected:
  HttpServerCrowdTest() {
    options_.max_connections = 8;  // 4 of one machine
    hooks_.turned_away = [this](TurnedAway how) { ++turned_away_[static_cast<std::size_t>(how)]; };
    hooks_.admit = [](const HttpRequest& request) -> std::optional<HttpResponse> {
      if (!request.headers.Get("Stranger")) return std::nullopt;
      return TextResponse(401, "text/plain", "who are you?");
    };
  }
  static bool Comes(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    return condition();
  }
  int Count(TurnedAway how) const { return turned_away_[static_cast<std::size_t>(how)]; }
  void Crowd(int count, std::string_view words) {
    for (int i = 0; i < count; ++i) crowd_.emplace_back(server_->port()).Send(words);
  }
  // What is called for the first time may want descriptors of its own: sanitizers do.
  void ServeOnceWithDescriptors() const {
    const std::size_t before = OpenDescriptors();
    ExpectServing();
    EXPECT_THAT(ResponseTo("GET /throw HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
                StartsWith("HTTP/1.1 500 "));  // with a line in the log
    EXPECT_EQ(Count(TurnedAway::kDescriptors), 0);
    EXPECT_TRUE(Comes([&] { return OpenDescriptors() == before; }));
  }
  void ExpectServing() const { EXPECT_THAT(ResponseTo(kGetAndClose), EndsWith("text")); }

  std::deque<RawClient> crowd_;
  std::array<std::atomic<int>, 3> turned_away_{};
};

TEST_F(HttpServerCrowdTest, ServesWhileManyStayIdle) {
  StartServer();
  Crowd(100, "");
  ExpectServing();
  EXPECT_GE(Count(TurnedAway::kIdle), 97);
  EXPECT_EQ(Count(TurnedAway::kBusy), 0);
}

TEST_F(HttpServerCrowdTest, ServesWhileManySendHalfAHeader) {
  StartServer();
  Crowd(100, "GET /text HTTP/1.1\r\nHost:");
  ExpectServing();
}

// Each byte in time, and the first one alone counts.
TEST_F(HttpServerCrowdTest, DripsWinNoTime) {
  StartServer();
  RawClient dripping = Connect();
  dripping.Send("G");
  for (int i = 0; i < 3; ++i) {
    Crowd(1, kStranger);
    EXPECT_THAT(crowd_.back().ReadResponse(), StartsWith("HTTP/1.1 401 "));
  }
  dripping.Send("E");
  crowd_.back().Send(kStranger);  // answered after that byte was read
  EXPECT_THAT(crowd_.back().ReadResponse(), StartsWith("HTTP/1.1 401 "));
  ExpectServing();
  dripping.Send("T /text HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(dripping.ReadResponse(), "");
}

TEST_F(HttpServerCrowdTest, KeepsCallersItKnowsAndClosesStrangers) {
  StartServer();
  RawClient known = Connect();
  known.Send(kGet);
  EXPECT_THAT(known.ReadResponse(), EndsWith("text"));
  Crowd(100, "");
  Crowd(100, kStranger);
  known.Send(kGet);
  EXPECT_THAT(known.ReadResponse(), EndsWith("text"));
}

TEST_F(HttpServerCrowdTest, AnAdmittedStrangerIsNoCallerItKnows) {
  hooks_.knows = [](const HttpRequest& request) {
    return request.headers.Get("Token").has_value();
  };
  StartServer();
  RawClient known = Connect();
  known.Send("GET /text HTTP/1.1\r\nHost: a\r\nToken: good\r\n\r\n");
  EXPECT_THAT(known.ReadResponse(), EndsWith("text"));
  for (int i = 0; i < 20; ++i) {
    crowd_.emplace_back(server_->port()).Send(kGet);
    EXPECT_THAT(crowd_.back().ReadResponse(), EndsWith("text"));
  }
  known.Send(kGet);
  EXPECT_THAT(known.ReadResponse(), EndsWith("text"));
}

// Routes may be open to strangers; a body of theirs that never ends is no work.
TEST_F(HttpServerCrowdTest, BodiesOfAdmittedStrangersMakeRoom) {
  hooks_.knows = [](const HttpRequest& request) {
    return request.headers.Get("Token").has_value();
  };
  StartServer();
  RawClient known = Connect();
  known.Send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nToken: good\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n");
  EXPECT_THAT(known.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
  for (const char* request : {"GET /text", "POST /echo", "POST /upload"}) {
    for (int i = 0; i < 4; ++i) {
      crowd_.emplace_back(server_->port())
          .Send(std::string(request) +
                " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
      EXPECT_THAT(crowd_.back().ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
    }
  }
  ExpectServing();
  EXPECT_EQ(Count(TurnedAway::kBusy), 0);
  known.Send("ok");
  EXPECT_THAT(known.ReadResponse(), EndsWith("ok"));
}

TEST_F(HttpServerCrowdTest, ResponsesThatStrangersDoNotReadMakeRoom) {
  hooks_.knows = [](const HttpRequest&) { return false; };
  StartServer();
  for (int i = 0; i < 4; ++i) {
    Crowd(1, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(crowd_.back().ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  }
  ExpectServing();
  EXPECT_EQ(Count(TurnedAway::kBusy), 0);
}

TEST_F(HttpServerCrowdTest, SaysWhenToComeAgainWhereAllAreAtWork) {
  options_.max_connections = 1;
  StartServer();
  RawClient busy = Connect();
  busy.Send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n");
  blocked_.get_future().wait();
  const std::string refusal = ResponseTo(kGet);
  EXPECT_THAT(refusal, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refusal, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(refusal, HasSubstr("application/problem+json"));
  EXPECT_EQ(Count(TurnedAway::kBusy), 1);
  unblock_.set_value();
  EXPECT_THAT(busy.ReadResponse(), EndsWith("unblocked"));
  ExpectServing();
}

TEST_F(HttpServerCrowdTest, OneMachinesStreamsLeavePlacesForItsRequests) {
  StartServer();
  constexpr char kStream[] = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    stream_made_ = {};
    Crowd(1, kStream);
    EXPECT_THAT(crowd_.back().ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  }
  stream_made_ = {};
  const std::string third = ResponseTo(kStream);
  EXPECT_THAT(third, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(third, HasSubstr("Retry-After: 1\r\n"));
  ExpectServing();
}

TEST_F(HttpServerCrowdTest, TurnsClientsAwayWithoutDescriptorsAndServesAsSoonAsThereAreSome) {
  StartServer();
  ServeOnceWithDescriptors();
  std::vector<std::string> refusals;
  {
    NoDescriptors none;
    for (int i = 1; i <= 3; ++i) {
      none.GiveBack(1);  // to the client itself
      refusals.push_back(ResponseTo(kGet));
      EXPECT_TRUE(Comes([&] { return Count(TurnedAway::kDescriptors) == i; }));
      none.TakeAll();
    }
    none.GiveBack(2);
    refusals.push_back(ResponseTo(kGetAndClose));
  }
  EXPECT_THAT(refusals.back(), EndsWith("text"));
  refusals.pop_back();
  for (const std::string& refusal : refusals) {
    EXPECT_THAT(refusal, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(refusal, HasSubstr("Retry-After: 1\r\n"));
    EXPECT_THAT(refusal, HasSubstr("application/problem+json"));
  }
}

TEST_F(HttpServerCrowdTest, AnIdleConnectionGivesItsDescriptorToANewOne) {
  StartServer();
  ServeOnceWithDescriptors();
  RawClient idle = Connect();
  idle.Send(kGet);
  idle.ReadResponse();
  NoDescriptors none;
  none.GiveBack(1);
  ExpectServing();
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_EQ(Count(TurnedAway::kIdle), 1);
}

}  // namespace
}  // namespace mlprof
