#include "common/http/body_receiver.h"

#include <gtest/gtest.h>

#include <string>

namespace mlprof {
namespace {

using namespace std::string_literals;
using State = ChunkedDecoder::State;

struct Decoded {
  State state = State::kMore;
  std::string body;
  std::string rest;
};

Decoded Decode(const std::string& wire, std::size_t piece = std::string::npos) {
  ChunkedDecoder decoder;
  Decoded decoded;
  std::string_view left = wire;
  while (!left.empty() && decoded.state == State::kMore) {
    std::string_view input = left.substr(0, piece);
    const std::size_t size = input.size();
    decoded.state = decoder.Feed(input, decoded.body);
    left.remove_prefix(size - input.size());
  }
  decoded.rest = left;
  return decoded;
}

TEST(ChunkedDecoderTest, DecodesHoweverTheBytesAreCut) {
  const std::string wire =
      "5\r\nhello\r\n00A;name=\"v;w\"\r\n0123456789\r\n1\r\n\r\r\n0\r\nTrailer: x\r\n\r\nGET /";
  for (const std::size_t piece : {1u, 2u, 3u, 5u, 7u, 1000u}) {
    const Decoded decoded = Decode(wire, piece);
    EXPECT_EQ(decoded.state, State::kDone) << piece;
    EXPECT_EQ(decoded.body, "hello0123456789\r") << piece;
    EXPECT_EQ(decoded.rest, "GET /") << piece;
  }
}

TEST(ChunkedDecoderTest, WantsMoreUntilTheLastByte) {
  const std::string wire = "3\r\nabc\r\n0\r\n\r\n";
  for (std::size_t cut = 0; cut < wire.size(); ++cut) {
    EXPECT_EQ(Decode(wire.substr(0, cut)).state, State::kMore) << cut;
  }
  EXPECT_EQ(Decode(wire).state, State::kDone);
}

TEST(ChunkedDecoderTest, RefusesWhatIsNotExactlyFramed) {
  for (const std::string& wire : {"\r\nabc"s,
                                  "g\r\n"s,
                                  "-1\r\n"s,
                                  "+1\r\na\r\n"s,
                                  "0x1\r\na\r\n"s,
                                  " 1\r\na\r\n"s,
                                  "1 \r\na\r\n"s,
                                  "1 ;a\r\na\r\n"s,
                                  "1\na\r\n"s,
                                  "1\r\na\n"s,
                                  "1\r\nab\r\n"s,
                                  "1\rx"s,
                                  "1;a\nb\r\na\r\n"s,
                                  "1;\"a\0\"\r\na\r\n"s,
                                  "1;\"\n\"\r\na\r\n"s,
                                  "1;a\rb\r\n"s,
                                  "ffffffffffffffff\r\n"s,
                                  "10000000000000000\r\n"s,
                                  "1_0\r\n"s,
                                  "1,\r\na\r\n"s,
                                  "1;\xC3\xA4\r\na\r\n"s,
                                  "0\r\n\n"s,
                                  "0\r\nX: a\nY: b\r\n\r\n"s,
                                  "0\r\n: a\r\n\r\n"s,
                                  "0\r\nno colon\r\n\r\n"s,
                                  "0\r\n X: fold\r\n\r\n"s,
                                  "0\r\nX: \0\r\n\r\n"s}) {
    EXPECT_EQ(Decode(wire).state, State::kBad) << testing::PrintToString(wire);
    EXPECT_EQ(Decode(wire, 1).state, State::kBad) << testing::PrintToString(wire);
  }
}

TEST(ChunkedDecoderTest, LimitsASizeLineTo256Bytes) {
  const auto line = [](std::size_t bytes) { return "1;" + std::string(bytes - 4, 'x') + "\r\n"; };
  EXPECT_EQ(Decode(line(256) + "a").state, State::kMore);
  EXPECT_EQ(Decode(line(257) + "a").state, State::kBad);
  EXPECT_EQ(Decode(std::string(300, '0')).state, State::kBad);
}

TEST(ChunkedDecoderTest, LimitsExtensionsAndTrailersAltogether) {
  std::string extended;
  for (int i = 0; i < 60; ++i) extended += "1;" + std::string(200, 'x') + "\r\na\r\n";
  EXPECT_EQ(Decode(extended).state, State::kBad);
  std::string trailed = "0\r\n";
  for (int i = 0; i < 60; ++i) trailed += "X: " + std::string(200, 'x') + "\r\n";
  EXPECT_EQ(Decode(trailed).state, State::kBad);
}

TEST(ChunkedDecoderTest, StaysBad) {
  ChunkedDecoder decoder;
  std::string out;
  std::string_view bad = "x\r\n";
  EXPECT_EQ(decoder.Feed(bad, out), State::kBad);
  std::string_view good = "1\r\na\r\n0\r\n\r\n";
  EXPECT_EQ(decoder.Feed(good, out), State::kBad);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace mlprof
