#include "agent/relay/response_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace mlprof::agent {
namespace {

using agent_protocol::RowFailure;

struct Outcome {
  bool complete = false;
  RowFailure failure = RowFailure::kNone;
  int status = 0;
  bool keep_alive = false;
  std::uint64_t body_bytes = 0;
  std::string excerpt;
  std::size_t used = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome OutcomeOf(const ResponseParser& parser, std::size_t used) {
  return {parser.complete(),
          parser.failure(),
          parser.status(),
          parser.keep_alive(),
          parser.body_bytes(),
          parser.excerpt(),
          used};
}

// Parses `bytes` cut in two at `cut`, then tells the end if asked to.
Outcome ParseCut(std::string_view bytes, std::size_t cut, bool end, bool head_request,
                 ResponseParser::Limits limits) {
  ResponseParser parser(limits);
  parser.Reset(head_request);
  std::size_t used = parser.Feed(bytes.substr(0, cut));
  if (used == cut && !parser.complete()) used += parser.Feed(bytes.substr(cut));
  if (end) parser.End();
  return OutcomeOf(parser, used);
}

// The same whatever the cut, and byte by byte.
Outcome Parse(std::string_view bytes, bool end = false, bool head_request = false,
              ResponseParser::Limits limits = {}) {
  const Outcome whole = ParseCut(bytes, bytes.size(), end, head_request, limits);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    Outcome outcome = ParseCut(bytes, cut, end, head_request, limits);
    if (whole.failure != RowFailure::kNone) {
      EXPECT_EQ(outcome.failure, whole.failure) << "cut at " << cut;
    } else {
      EXPECT_EQ(outcome, whole) << "cut at " << cut;
    }
  }
  ResponseParser parser(limits);
  parser.Reset(head_request);
  for (std::size_t i = 0; i < bytes.size() && !parser.complete() && !parser.failed(); ++i) {
    parser.Feed(bytes.substr(i, 1));
  }
  if (end) parser.End();
  EXPECT_EQ(parser.complete(), whole.complete);
  EXPECT_EQ(parser.failure(), whole.failure);
  if (!parser.failed()) {
    EXPECT_EQ(parser.body_bytes(), whole.body_bytes);
  }
  return whole;
}

TEST(ResponseParserTest, ReadsAContentLengthResponse) {
  const auto got = Parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(got.complete);
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(got.keep_alive);
  EXPECT_EQ(got.body_bytes, 5u);
  EXPECT_EQ(got.excerpt, "");
}

TEST(ResponseParserTest, LeavesBytesBehindTheResponseAlone) {
  const std::string response = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
  EXPECT_EQ(Parse(response + "HTTP/1.1 200 OK\r\n").used, response.size());
}

TEST(ResponseParserTest, ReadsAChunkedResponseWithExtensionsAndTrailers) {
  const auto got = Parse(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;a=b\r\nhello\r\n0A \r\n0123456789\r\n0\r\nX: y\r\n\r\n");
  EXPECT_TRUE(got.complete);
  EXPECT_TRUE(got.keep_alive);
  EXPECT_EQ(got.body_bytes, 15u);
}

TEST(ResponseParserTest, ReadsAResponseThatEndsWithTheConnection) {
  const std::string bytes = "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nsome body";
  EXPECT_FALSE(Parse(bytes).complete);
  const auto got = Parse(bytes, true);
  EXPECT_TRUE(got.complete);
  EXPECT_FALSE(got.keep_alive);
  EXPECT_EQ(got.body_bytes, 9u);
}

TEST(ResponseParserTest, ABareLineFeedEndsALine) {
  EXPECT_TRUE(Parse("HTTP/1.1 200\nContent-Length: 0\n\n").complete);
}

TEST(ResponseParserTest, HonoursConnectionHeaders) {
  const auto keep = [](const std::string& start) {
    return Parse(start + "Content-Length: 0\r\n\r\n").keep_alive;
  };
  EXPECT_TRUE(keep("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(keep("HTTP/1.1 200 OK\r\nConnection: close\r\n"));
  EXPECT_FALSE(keep("HTTP/1.1 200 OK\r\nConnection: foo, CLOSE\r\n"));
  EXPECT_FALSE(keep("HTTP/1.0 200 OK\r\n"));
  EXPECT_TRUE(keep("HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\n"));
}

TEST(ResponseParserTest, SkipsInterimResponses) {
  const auto got = Parse(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n"
      "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_TRUE(got.complete);
  EXPECT_EQ(got.status, 204);
}

TEST(ResponseParserTest, KnowsWhichResponsesHaveNoBody) {
  EXPECT_TRUE(Parse("HTTP/1.1 204 x\r\nContent-Length: 5\r\n\r\n").complete);
  EXPECT_TRUE(Parse("HTTP/1.1 304 x\r\nContent-Length: 5\r\n\r\n").complete);
  EXPECT_TRUE(Parse("HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\n", false, true).complete);
}

TEST(ResponseParserTest, KeepsTheStartOfAnUnsuccessfulBodyOnly) {
  ResponseParser::Limits limits;
  limits.excerpt = 4;
  const auto got =
      Parse("HTTP/1.1 500 x\r\nContent-Length: 7\r\n\r\nfailure", false, false, limits);
  EXPECT_EQ(got.excerpt, "fail");
  EXPECT_EQ(got.body_bytes, 7u);
  const auto chunked =
      Parse("HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.excerpt, "abcde");
}

TEST(ResponseParserTest, AnEarlyEndIsAReset) {
  for (const std::string_view bytes :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n"}) {
    EXPECT_EQ(Parse(bytes, true).failure, RowFailure::kReset) << bytes;
  }
}

TEST(ResponseParserTest, RefusesWhatIsNotHttp) {
  for (const std::string_view bytes :
       {"SSH-2.0-x\r\n", "HTTP/2 200 OK\r\n", "HTTP/1.2 200 OK\r\n", "HTTP/1.1 20 OK\r\n",
        "HTTP/1.1 2000\r\n", "HTTP/1.1 099 x\r\n", "HTTP/1.1  200\r\n", "\r\n", "ICY 200 OK\r\n",
        "HTTP/1.1 200 OK\r\n folded: x\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
        "HTTP/1.1 200 OK\r\nbad name: x\r\n", "HTTP/1.1 200 OK\r\n: x\r\n",
        "HTTP/1.1 200 OK\r\na: b\rc\r\n", "HTTP/1.1 101 Switching\r\n\r\n"}) {
    EXPECT_EQ(Parse(bytes).failure, RowFailure::kMalformed) << bytes;
  }
  EXPECT_EQ(Parse(std::string("HTTP/1.1 200 OK\r\na: \0\r\n", 23)).failure, RowFailure::kMalformed);
}

TEST(ResponseParserTest, RefusesLengthsThatDoNotHold) {
  for (const std::string value : {"", "-1", "+5", "5 5", "0x5", "5, 6", "99999999999999999999"}) {
    EXPECT_EQ(Parse("HTTP/1.1 200 OK\r\nContent-Length: " + value + "\r\n\r\n").failure,
              RowFailure::kMalformed)
        << value;
  }
  EXPECT_EQ(Parse("HTTP/1.1 200 x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n").failure,
            RowFailure::kMalformed);
}

TEST(ResponseParserTest, RefusesBrokenChunks) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string body : {"x\r\n", "\r\n", "-1\r\n", "5\r\nhelloX\r\n", "0x5\r\n",
                                 "11111111111111111\r\n", ";ext\r\n"}) {
    EXPECT_EQ(Parse(head + body).failure, RowFailure::kMalformed) << body;
  }
  EXPECT_EQ(Parse(head + "ffffffffffffffff\r\n").failure, RowFailure::kTooLarge);
}

TEST(ResponseParserTest, DoubtfulFramingEndsTheConnection) {
  const auto both = Parse(
      "HTTP/1.1 200 x\r\nContent-Length: 3\r\nTransfer-Encoding: "
      "chunked\r\n\r\n1\r\na\r\n0\r\n\r\n");
  EXPECT_TRUE(both.complete);
  EXPECT_EQ(both.body_bytes, 1u);
  EXPECT_FALSE(both.keep_alive);
  const auto unknown = Parse("HTTP/1.1 200 x\r\nTransfer-Encoding: gzip\r\n\r\nabc", true);
  EXPECT_TRUE(unknown.complete);
  EXPECT_FALSE(unknown.keep_alive);
  EXPECT_EQ(unknown.body_bytes, 3u);
}

TEST(ResponseParserTest, HeadersAreLimitedAndInterimResponsesCountTogether) {
  ResponseParser::Limits limits;
  limits.head = 64;
  const std::string long_header = "HTTP/1.1 200 OK\r\na: " + std::string(64, 'x');
  EXPECT_EQ(Parse(long_header, false, false, limits).failure, RowFailure::kMalformed);
  std::string flood;
  for (int i = 0; i < 4; ++i) flood += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(Parse(flood, false, false, limits).failure, RowFailure::kMalformed);
  const std::string trailers =
      "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: " + std::string(64, 'x');
  EXPECT_EQ(Parse(trailers, false, false, limits).failure, RowFailure::kMalformed);
}

TEST(ResponseParserTest, AChunkLineIsLimited) {
  ResponseParser::Limits limits;
  limits.chunk_line = 8;
  const std::string bytes = "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n1;eeeeeeeeeeeeeee";
  EXPECT_EQ(Parse(bytes, false, false, limits).failure, RowFailure::kMalformed);
}

TEST(ResponseParserTest, TheBodyIsLimitedHoweverItIsFramed) {
  ResponseParser::Limits limits;
  limits.body = 4;
  for (const std::string rest : {"Content-Length: 5\r\n\r\nhello", "\r\nhello",
                                 "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n"}) {
    EXPECT_EQ(Parse("HTTP/1.1 200 x\r\n" + rest, false, false, limits).failure,
              RowFailure::kTooLarge)
        << rest;
  }
}

TEST(ResponseParserTest, ResetForgetsTheLastResponse) {
  ResponseParser parser;
  parser.Reset(false);
  parser.Feed("HTTP/1.1 500 x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad");
  parser.Reset(false);
  parser.Feed("HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_EQ(OutcomeOf(parser, 0), (Outcome{true, RowFailure::kNone, 200, true, 1, "", 0}));
}

}  // namespace
}  // namespace mlprof::agent
