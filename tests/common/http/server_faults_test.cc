// Threads that cannot be made, and what is thrown where nobody expects it.
#include <gmock/gmock.h>

#include "common/http/server.h"
#include "tests/common/http/server_fixture.h"
#include "tests/fakes/refused_threads.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kGetText[] = "GET /text HTTP/1.1\r\nHost: a\r\n\r\n";

struct Odd {};  // no std::exception

class HttpServerFaultsTest : public HttpServerTest {
 protected:
  void ExpectServing() const { EXPECT_THAT(ResponseTo(kGetText), EndsWith("text")); }
};

TEST_F(HttpServerFaultsTest, DoesNotStartWithoutAnyThread) {
  const fakes::RefusedThreads refused(1000);
  const auto started = HttpServer::Start(options_, Router(), hooks_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_THAT(started.error().message(), HasSubstr("limit of threads"));
}

TEST_F(HttpServerFaultsTest, DoesNotStartWithoutItsIoThread) {
  options_.workers = 1;
  options_.port = 0;
  for (int made = 0; made < 2; ++made) {
    const fakes::RefusedThreads refused(1, made);
    EXPECT_FALSE(HttpServer::Start(options_, Router(), hooks_)) << made;
  }
}

TEST_F(HttpServerFaultsTest, ServesWithFewerWorkers) {
  options_.workers = 8;
  {
    const fakes::RefusedThreads refused(1, 1);  // the second worker
    StartServer();
  }
  ExpectServing();
}

TEST_F(HttpServerFaultsTest, AHookThatThrowsAnythingIsA500) {
  hooks_.admit = [](const HttpRequest&) { return std::nullopt; };
  hooks_.knows = [](const HttpRequest& request) -> bool {
    if (request.headers.Get("Odd")) throw Odd();
    throw std::bad_alloc();
  };
  StartServer();
  EXPECT_THAT(ResponseTo("GET /text HTTP/1.1\r\nHost: a\r\nOdd: yes\r\n\r\n"),
              StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(ResponseTo(kGetText), StartsWith("HTTP/1.1 500 "));
  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpServerFaultsTest, ARefusalThatCannotBeMadeIsPlainText) {
  hooks_.refuse = [](int, const std::string&, const HttpRequest&) -> HttpResponse { throw Odd(); };
  StartServer();
  EXPECT_THAT(ResponseTo("GET /throw HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
  ExpectServing();
}

TEST_F(HttpServerFaultsTest, OutlivesAServedHookThatThrows) {
  hooks_.served = [](const auto&, const auto&, int, double) { throw Odd(); };
  options_.workers = 1;
  StartServer();
  for (int i = 0; i < 3; ++i) ExpectServing();
}

/// Throws on the I/O thread, outside of everything that expects it.
class FailingStream : public BodyStream {
 public:
  explicit FailingStream(bool at_once) : at_once_(at_once) {}
  std::optional<std::string> Read() override {
    if (at_once_) throw Odd();
    return "";
  }
  void OnReady(std::function<void()>) override { throw std::bad_alloc(); }

 private:
  bool at_once_;
};

TEST_F(HttpServerFaultsTest, WhatAStepThrowsEndsThatConnectionAlone) {
  for (const bool at_once : {true, false}) {
    AddRoute("GET", at_once ? "/fails" : "/fails-later", [at_once](const HttpRequest&) {
      HttpResponse response;
      response.body = std::shared_ptr<BodyStream>(std::make_shared<FailingStream>(at_once));
      return response;
    });
  }
  options_.max_connections = 2;  // one of this machine: what is kept open would be in the way
  StartServer();
  for (const char* path : {"/fails", "/fails-later"}) {
    RawClient client = Connect();
    client.Send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_THAT(client.ReadToEnd(), HasSubstr("200 OK")) << path;
    ExpectServing();
  }
}

TEST_F(HttpServerFaultsTest, OutlivesAHookOfTheIoThreadThatThrows) {
  options_.max_connections = 1;
  hooks_.turned_away = [](TurnedAway) { throw Odd(); };
  StartServer();
  RawClient idle = Connect();
  idle.Send(kGetText);
  idle.ReadResponse();
  ExpectServing();
  EXPECT_EQ(idle.ReadToEnd(), "");
}

}  // namespace
}  // namespace mlprof
