#include "common/http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "common/os/unique_fd.h"
#include "tests/common/http/scripted_server.h"
#include "tests/fakes/soon.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using fakes::Soon;

HttpCall Get(std::string target) {
  HttpCall call;
  call.target = std::move(target);
  return call;
}

TEST(HttpClientTest, CallsOverAUnixSocketAndOverTcp) {
  for (const bool unix_socket : {true, false}) {
    ScriptedServer server({.reply = "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\nhi"},
                          unix_socket);
    HttpCall call = Get("/_ping?a=b");
    call.headers.Set("Accept", "*/*");
    const auto reply = CallHttp(server.endpoint(), call, Soon());
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "hi");
    EXPECT_EQ(reply->headers.Get("x"), "y");
    const std::string request = server.Request();
    EXPECT_THAT(request, StartsWith("GET /_ping?a=b HTTP/1.1\r\n"));
    EXPECT_THAT(request, HasSubstr("\r\nAccept: */*\r\n"));
    EXPECT_THAT(request,
                HasSubstr(unix_socket ? "\r\nHost: localhost\r\n" : "\r\nHost: 127.0.0.1:"));
    EXPECT_THAT(request, HasSubstr("\r\nConnection: close\r\n"));
  }
}

TEST(HttpClientTest, SendsABodyWithItsLength) {
  ScriptedServer server({.await = "{}", .reply = "HTTP/1.1 204 No Content\r\n\r\n"});
  HttpCall call = Get("/containers");
  call.method = "POST";
  call.body = "{}";
  const auto reply = CallHttp(server.endpoint(), call, Soon());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->status, 204);
  EXPECT_THAT(server.Request(), EndsWith("Content-Length: 2\r\n\r\n{}"));
}

TEST(HttpClientTest, RefusesACallThatWouldBreakTheRequestOpen) {
  HttpCall call = Get("/a\r\nX: y");
  EXPECT_EQ(CallHttp(UnixEndpoint{"/nowhere"}, call, Soon()).error().code(),
            ErrorCode::kInvalidArgument);
  call = Get("/a HTTP/1.1\r\nX: y");
  EXPECT_EQ(CallHttp(UnixEndpoint{"/nowhere"}, call, Soon()).error().code(),
            ErrorCode::kInvalidArgument);
  call = Get("/");
  call.headers.Set("X", "a\r\nY: b");
  EXPECT_EQ(CallHttp(UnixEndpoint{"/nowhere"}, call, Soon()).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(HttpClientTest, SaysWhyItCannotConnect) {
  const auto missing = CallHttp(UnixEndpoint{"/nowhere/docker.sock"}, Get("/"), Soon());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(missing.error().message(),
            "GET /: cannot connect to /nowhere/docker.sock: No such file or directory");
  EXPECT_EQ(CallHttp(UnixEndpoint{std::string(200, 'x')}, Get("/"), Soon()).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(CallHttp(TcpEndpoint{"a.name", 1}, Get("/"), Soon()).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(CallHttp(TcpEndpoint{"localhost", 1}, Get("/"), Soon()).error().code(),
            ErrorCode::kUnavailable);
}

TEST(HttpClientTest, TellsATruncatedAndAGarbledReply) {
  ScriptedServer truncated({.reply = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"});
  const auto early = CallHttp(truncated.endpoint(), Get("/"), Soon());
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(early.error().message(), HasSubstr("ended early"));
  ScriptedServer silent({.reply = ""});
  EXPECT_EQ(CallHttp(silent.endpoint(), Get("/"), Soon()).error().code(), ErrorCode::kUnavailable);
  ScriptedServer garbled({.reply = "what is this?\r\n\r\n"});
  EXPECT_EQ(CallHttp(garbled.endpoint(), Get("/"), Soon()).error().code(), ErrorCode::kInternal);
}

TEST(HttpClientTest, LimitsABufferedReply) {
  ScriptedServer server({.reply = "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x')});
  HttpCall call = Get("/");
  call.max_response = Bytes(1000);
  EXPECT_EQ(CallHttp(server.endpoint(), call, Soon()).error().code(), ErrorCode::kTooLarge);
}

TEST(HttpClientTest, KeepsItsDeadlineWhateverTheServerDoes) {
  const auto at_once = [] { return Deadline::After(std::chrono::milliseconds(20)); };
  for (const char* part : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"}) {
    ScriptedServer server({.reply = part, .then_hang = true});
    const auto reply = CallHttp(server.endpoint(), Get("/"), at_once());
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), ErrorCode::kDeadlineExceeded) << part;
  }
  ScriptedServer deaf({.await = "never", .then_hang = true});
  HttpCall call = Get("/");
  call.method = "POST";
  call.body.assign(16 << 20, 'x');
  EXPECT_EQ(CallHttp(deaf.endpoint(), call, at_once()).error().code(),
            ErrorCode::kDeadlineExceeded);
}

TEST(HttpClientTest, StopsWhenAsked) {
  ScriptedServer server({.reply = "HTTP/1.1 200 OK\r\n\r\nline", .then_hang = true});
  std::stop_source stop;
  const auto reply = StreamHttp(
      server.endpoint(), Get("/events"),
      [&](std::string_view) {
        // From another thread, once the call waits again or just before.
        std::thread([stop]() mutable { stop.request_stop(); }).detach();
        return true;
      },
      Soon(), stop.get_token());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), ErrorCode::kCancelled);
}

TEST(HttpClientTest, MakesNoCallThatCouldNotBeStopped) {
  ScriptedServer server({.reply = "", .then_hang = true});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<UniqueFd> taken;
  for (int next = ::dup(0); next >= 0; next = ::dup(0)) taken.emplace_back(next);
  taken.pop_back();  // one is left, for the socket
  const std::stop_source stop;
  const auto reply = CallHttp(server.endpoint(), Get("/"), Soon(), stop.get_token());
  taken.clear();
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(reply);
  // The server's thread may hold one for a moment longer, so that the socket's is missing already.
  EXPECT_EQ(reply.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("open files"));
}

TEST(HttpClientTest, StreamsChunksUntilItHasEnough) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  ScriptedServer whole({.reply = head + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n"});
  std::string seen;
  const auto all = [&](std::string_view piece) {
    seen += piece;
    return true;
  };
  ASSERT_TRUE(StreamHttp(whole.endpoint(), Get("/"), all, Soon()));
  EXPECT_EQ(seen, "abcd");
  ScriptedServer endless({.reply = head + "2\r\nab\r\n", .then_hang = true});
  const auto enough = [](std::string_view) { return false; };
  const auto reply = StreamHttp(endless.endpoint(), Get("/"), enough, Soon());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->body, "");
}

TEST(HttpClientTest, BuffersTheBodyOfARefusedStream) {
  ScriptedServer server({.reply = "HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nwhy"});
  const auto reply = StreamHttp(
      server.endpoint(), Get("/"),
      [](std::string_view) {
        ADD_FAILURE();
        return true;
      },
      Soon());
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->body, "why");
}

class UploadTest : public ::testing::Test {
 protected:
  UploadTest() {
    std::string name = (std::filesystem::temp_directory_path() / "mlprof-upload-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    file_ = directory_ / "image.tar";
    std::ofstream(file_) << std::string(3'000'000, 't') << "end of file";
    call_.method = "POST";
    call_.target = "/images/create";
  }
  ~UploadTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
  std::filesystem::path file_;
  HttpCall call_;
};

TEST_F(UploadTest, StreamsAFile) {
  ScriptedServer server(
      {.await = "end of file", .reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"});
  const auto reply = UploadHttp(server.endpoint(), call_, file_, Soon());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->body, "ok");
  EXPECT_THAT(server.Request(), HasSubstr("\r\nContent-Length: 3000011\r\n"));
}

TEST_F(UploadTest, ReadsTheResponseOfAServerThatTakesNoMore) {
  ScriptedServer server(
      {.reply = "HTTP/1.1 413 Large\r\nContent-Length: 2\r\n\r\nno", .then_hang = true});
  const auto reply = UploadHttp(server.endpoint(), call_, file_, Soon());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->status, 413);
}

TEST_F(UploadTest, NamesAFileThatIsNotThere) {
  const auto reply = UploadHttp(UnixEndpoint{"/nowhere"}, call_, directory_ / "missing", Soon());
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("missing: No such file"));
}

}  // namespace
}  // namespace mlprof
