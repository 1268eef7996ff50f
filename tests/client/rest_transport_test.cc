// The real transport against a server that says exactly what a test wants.
#include <gtest/gtest.h>

#include <atomic>

#include "client/include/mlprof/transport.h"
#include "tests/client/scripted_server.h"
#include "tests/client/temporary_folder.h"

namespace mlprof::client {
namespace {

using ScriptedConnection = ScriptedTcpServer::Connection;

std::string Chunk(const std::string& text) {
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
  return size.data() + text + "\r\n";
}

constexpr const char* kEventHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(RestTransportTest, SendsAndReadsABodyWithoutContentType) {
  std::string head;
  std::string body;
  ScriptedTcpServer server(
      [&](const ScriptedConnection& connection, const std::string& h, const std::string& b) {
        head = h;
        body = b;
        connection.Send("HTTP/1.1 201 Created\r\nContent-Length: 4\r\nX-Y: z\r\n\r\n\x01\xff{}");
      });
  auto transport = ConnectTo(server.url() + "/prefix", "secret");
  RestRequest request;
  request.method = "POST";
  request.target = "/models/a%3A1?tag=k%3Dv";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = "{\"a\":1}";
  const auto response = (*transport)->Send(request);
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "\x01\xff{}");
  EXPECT_EQ(response->headers.at("x-y"), "z");
  EXPECT_EQ(body, "{\"a\":1}");
  EXPECT_TRUE(head.starts_with("POST /prefix/models/a%3A1?tag=k%3Dv HTTP/1.1")) << head;
  EXPECT_NE(head.find("Authorization:Bearer secret"), std::string::npos);
  EXPECT_NE(head.find("Content-Type:application/json\r\n"), std::string::npos) << head;
}

TEST(RestTransportTest, StreamsAFileUp) {
  const TemporaryFolder folder;
  std::string content(3 << 20, 'x');
  for (std::size_t i = 0; i < content.size(); i += 997) content[i] = static_cast<char>(i);
  std::string body;
  std::string head;
  ScriptedTcpServer server(
      [&](const ScriptedConnection& connection, const std::string& h, const std::string& b) {
        head = h;
        body = b;
        connection.Send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
      });
  auto transport = ConnectTo(server.url(), "");
  RestRequest request;
  request.method = "POST";
  request.target = "/models";
  request.headers = {{"Content-Type", "application/x-tar"}};
  request.body_file = folder.Write("model.tar", content);
  std::atomic<std::int64_t> sent = 0;
  request.on_sent = [&sent](std::int64_t bytes) { sent = bytes; };
  const auto response = (*transport)->Send(request);
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_TRUE(body == content);
  EXPECT_EQ(sent, static_cast<std::int64_t>(content.size()));
  EXPECT_NE(head.find("Content-Type:application/x-tar"), std::string::npos);
}

TEST(RestTransportTest, GivesEventsAsTheyComeAndEndsWhenToldTo) {
  std::atomic<int> received = 0;
  std::atomic<bool> closed = false;
  ScriptedTcpServer server(
      [&](const ScriptedConnection& connection, const std::string&, const std::string&) {
        connection.Send(kEventHead + Chunk("one"));
        for (int i = 0; i < 10'000 && received == 0; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        connection.Send(Chunk("two"));
        connection.AwaitClose();
        closed = true;
      });
  auto transport = ConnectTo(server.url(), "");
  std::vector<std::string> pieces;
  const auto response = (*transport)->Stream({}, [&](std::string_view piece) {
    pieces.emplace_back(piece);
    return ++received < 2;
  });
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(pieces, (std::vector<std::string>{"one", "two"}));
}

TEST(RestTransportTest, StopsWhenAsked) {
  std::stop_source stop;
  ScriptedTcpServer server(
      [&](const ScriptedConnection& connection, const std::string&, const std::string&) {
        connection.Send(kEventHead + Chunk("one"));
        connection.AwaitClose();
      });
  auto transport = ConnectTo(server.url(), "");
  RestRequest request;
  request.stop = stop.get_token();
  std::jthread stopper;
  const auto response = (*transport)->Stream(request, [&](std::string_view) {
    stopper = std::jthread([&stop] { stop.request_stop(); });
    return true;
  });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::kCancelled);
}

TEST(RestTransportTest, KeepsTheBodyOfARefusalFromTheSink) {
  ScriptedTcpServer server(
      [](const ScriptedConnection& connection, const std::string&, const std::string&) {
        connection.Send("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
      });
  auto transport = ConnectTo(server.url(), "");
  const auto response = (*transport)->Stream({}, [](std::string_view) {
    ADD_FAILURE();
    return true;
  });
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "no");
}

// What the events of a profile end with, for those who have seen its end.
TEST(RestTransportTest, EndsAStreamThatHasNoContent) {
  ScriptedTcpServer server(
      [](const ScriptedConnection& connection, const std::string&, const std::string&) {
        connection.Send("HTTP/1.1 204 No Content\r\n\r\n");
      });
  auto transport = ConnectTo(server.url(), "");
  const auto response = (*transport)->Stream({}, [](std::string_view) {
    ADD_FAILURE();
    return true;
  });
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 204);
}

TEST(RestTransportTest, TellsSilenceFromAServerThatIsNotThere) {
  std::string url;
  {
    ScriptedTcpServer server([](const ScriptedConnection& connection, const std::string&,
                                const std::string&) { connection.AwaitClose(); });
    url = server.url();
    auto transport = ConnectTo(url, "");
    RestRequest request;
    request.idle_timeout = std::chrono::milliseconds(50);
    EXPECT_EQ((*transport)->Send(request).error().code(), ErrorCode::kDeadlineExceeded);
  }
  auto transport = ConnectTo(url, "");
  EXPECT_EQ((*transport)->Send({}).error().code(), ErrorCode::kUnavailable);
}

TEST(RestTransportTest, NoticesAResponseThatIsCutShort) {
  ScriptedTcpServer server(
      [](const ScriptedConnection& connection, const std::string&, const std::string&) {
        connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
      });
  auto transport = ConnectTo(server.url(), "");
  EXPECT_FALSE((*transport)->Send({}));
}

TEST(ConnectToTest, RefusesWhatIsNoServerUrl) {
  for (const char* url : {"", "localhost:8080", "ftp://x", "unix:///run/x.sock", "x y"}) {
    const auto transport = ConnectTo(url, "");
    ASSERT_FALSE(transport) << url;
    EXPECT_EQ(transport.error().code(), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace mlprof::client
