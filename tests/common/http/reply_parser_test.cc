#include "common/http/reply_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace mlprof {
namespace {

/// Feeds `wire` in pieces and then the end; the parsed reply or the first error.
Result<HttpReply> Parse(const std::string& wire, std::size_t piece = std::string::npos,
                        bool head_only = false) {
  ReplyParser parser(head_only, KiB(1), nullptr);
  for (std::size_t at = 0; at < wire.size() && !parser.done();) {
    const std::string_view part = std::string_view(wire).substr(at, piece);
    MLPROF_TRY(parser.Feed(part));
    at += part.size();
  }
  MLPROF_TRY(parser.End());
  return parser.TakeReply();
}

void ExpectReply(const std::string& wire, int status, const std::string& body) {
  for (const std::size_t piece : {std::string::npos, std::size_t{1}, std::size_t{3}}) {
    const auto reply = Parse(wire, piece);
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->status, status);
    EXPECT_EQ(reply->body, body);
  }
}

TEST(ReplyParserTest, ReadsEveryFraming) {
  ExpectReply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi");
  ExpectReply(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n3\r\n yo\r\n0\r\n\r\n", 200,
      "hi yo");
  ExpectReply("HTTP/1.0 500 No\r\n\r\nuntil the end", 500, "until the end");
  ExpectReply("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
  ExpectReply("HTTP/1.1 304 Not Modified\r\n\r\n", 304, "");
}

TEST(ReplyParserTest, SkipsInterimReplies) {
  ExpectReply(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
      "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na",
      201, "a");
}

TEST(ReplyParserTest, KeepsFieldsAndDropsTrailers) {
  const auto reply = Parse(
      "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\nX-Trailer: a\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->headers.Get("api-version"), "1.41");
  EXPECT_EQ(reply->headers.Get("X-Trailer"), std::nullopt);
}

TEST(ReplyParserTest, ExpectsNoBodyAfterHead) {
  const auto reply = Parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 1, true);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "");
}

TEST(ReplyParserTest, TellsAReplyThatEndsEarly) {
  const std::string whole =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const auto reply = Parse(whole.substr(0, cut));
    ASSERT_FALSE(reply) << cut;
    EXPECT_EQ(reply.error().code(), ErrorCode::kUnavailable) << cut;
  }
  EXPECT_EQ(Parse("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi").error().code(),
            ErrorCode::kUnavailable);
}

TEST(ReplyParserTest, RefusesWhatIsNotHttp) {
  for (const char* wire :
       {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    const auto reply = Parse(wire);
    ASSERT_FALSE(reply) << wire;
    EXPECT_EQ(reply.error().code(), ErrorCode::kInternal) << wire;
  }
}

TEST(ReplyParserTest, RefusesWhatIsTooLarge) {
  const std::string big(2000, 'x');
  for (const std::string& wire :
       {"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + big, "HTTP/1.1 200 OK\r\n\r\n" + big,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + big + "\r\n",
        "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x'),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(200'000, 'x')}) {
    const auto reply = Parse(wire);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), ErrorCode::kTooLarge) << reply.error().message();
  }
}

TEST(ReplyParserTest, StreamsOnlySuccessAndStopsWhenAsked) {
  std::string seen;
  const auto once = [&](std::string_view piece) {
    seen += piece;
    return false;
  };
  ReplyParser success(false, KiB(1), once);
  ASSERT_TRUE(
      success.Feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n"));
  EXPECT_TRUE(success.done());
  EXPECT_EQ(seen, "a");
  EXPECT_EQ(success.TakeReply().body, "");
  ReplyParser failure(false, KiB(1), once);
  ASSERT_TRUE(failure.Feed("HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nwhy"));
  EXPECT_TRUE(failure.done());
  EXPECT_EQ(seen, "a");
  EXPECT_EQ(failure.TakeReply().body, "why");
}

}  // namespace
}  // namespace mlprof
