#include <gmock/gmock.h>

#include "common/http/server.h"
#include "tests/common/http/server_fixture.h"

namespace mlprof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr char kRequest[] = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::chrono::seconds kPatience{5};

/// The stream of the request just sent, and the news of its end.
#define AWAIT_STREAM()              \
  stream_made_.get_future().wait(); \
  auto stream = stream_.lock();     \
  ASSERT_TRUE(stream);              \
  auto gone = stream->Gone()

TEST_F(HttpServerTest, StreamsInChunksAsTheyCome) {
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(head, HasSubstr("text/event-stream"));
  AWAIT_STREAM();
  stream->Say("data: 1\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
  stream->Say("data: 2\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n\r\n"), "9\r\ndata: 2\n\n\r\n");
  stream->Say("x");
  stream->End();
  stream.reset();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("1\r\nx\r\n0\r\n\r\n"));
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, StreamsUntilTheEndToHttp10) {
  StartServer();
  RawClient client = Connect();
  client.Send("GET /stream HTTP/1.0\r\n\r\n");
  AWAIT_STREAM();
  stream->Say("data");
  stream->End();
  EXPECT_THAT(client.ReadToEnd(), EndsWith("Connection: close\r\n\r\ndata"));
}

TEST_F(HttpServerTest, LetsGoOfAStreamWhoseClientVanished) {
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  client.ReadUntil("\r\n\r\n");
  AWAIT_STREAM();
  client.Vanish();
  stream.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, LetsGoOfAStreamWhoseClientReadsNothing) {
  options_.write_timeout = std::chrono::milliseconds(20);
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  AWAIT_STREAM();
  stream->Say(std::string(16 << 20, 'x'));
  stream.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, EndsStreamsAtOnceWhenItStops) {
  StartServer();
  RawClient client = Connect();
  client.Send(kRequest);
  client.ReadUntil("\r\n\r\n");
  AWAIT_STREAM();
  server_->Stop(kPatience);
  EXPECT_EQ(client.ReadToEnd(), "");
  stream->Say("nobody listens");  // and nothing happens
  stream.reset();
  EXPECT_EQ(gone.wait_for(kPatience), std::future_status::ready);
}

TEST_F(HttpServerTest, LetsGoOfAStreamThatHeadDoesNotWant) {
  StartServer();
  RawClient client = Connect();
  client.Send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\r\n\r\n"));
  EXPECT_TRUE(stream_.expired());
}

}  // namespace
}  // namespace mlprof
