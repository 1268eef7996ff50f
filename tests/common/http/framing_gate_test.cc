#include "common/http/framing_gate.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/common/http/raw_requests.h"

namespace mlprof {
namespace {

class GateCaseTest : public ::testing::TestWithParam<RawRequest> {};

TEST_P(GateCaseTest, JudgesAsExpected) {
  const RawRequest& raw = GetParam();
  // As a connection does it: the scan speaks first, the judgement only about whole blocks.
  const HeadScan scan = ScanHead(raw.bytes, 0);
  if (scan.state == HeadScan::State::kBad) {
    EXPECT_EQ(raw.status, 400) << raw.name;
    return;
  }
  ASSERT_EQ(scan.state, HeadScan::State::kComplete) << raw.name;
  const auto judged = JudgeHead(std::string_view(raw.bytes).substr(0, scan.end));
  EXPECT_EQ(judged ? 200 : judged.error().status, raw.status)
      << raw.name << ": " << (judged ? "" : judged.error().reason);
}

INSTANTIATE_TEST_SUITE_P(RawRequests, GateCaseTest, ::testing::ValuesIn(RawRequests()),
                         [](const auto& test) { return test.param.name; });

TEST(FramingGateTest, FindsTheEndWhereverTheBlockIsCut) {
  const std::string block = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t cut = 0; cut < block.size(); ++cut) {
    EXPECT_EQ(ScanHead(block.substr(0, cut), 0).state, HeadScan::State::kIncomplete) << cut;
    const HeadScan whole = ScanHead(block + "rest", cut);
    EXPECT_EQ(whole.state, HeadScan::State::kComplete) << cut;
    EXPECT_EQ(whole.end, block.size()) << cut;
  }
}

TEST(FramingGateTest, DescribesWhatItLetThrough) {
  const auto head = JudgeHead(
      "POST /models?name=a HTTP/1.1\r\nHost: [::1]:8080\r\nTransfer-Encoding: Chunked\r\n"
      "Expect: 100-continue\r\nX-Empty:\r\nX-Padded: \t v v \r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "POST");
  EXPECT_EQ(head->target, "/models?name=a");
  EXPECT_EQ(head->minor_version, 1);
  EXPECT_TRUE(head->chunked);
  EXPECT_TRUE(head->HasBody());
  EXPECT_TRUE(head->keep_alive);
  EXPECT_EQ(head->expect, "100-continue");
  EXPECT_EQ(head->headers.Get("x-empty"), "");
  EXPECT_EQ(head->headers.Get("x-padded"), "v v");
}

TEST(FramingGateTest, KeepsTheConnectionAsTheVersionsDo) {
  const auto keeps = [](const std::string& version, const std::string& field) {
    const auto head = JudgeHead("GET / HTTP/" + version + "\r\nHost: a\r\n" + field + "\r\n");
    return head && head->keep_alive;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: foo, Close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: Keep-Alive\r\n"));
}

TEST(FramingGateTest, TakesAHundredFieldsAndNoMore) {
  std::string block = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 1; i < 100; ++i) block += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_TRUE(JudgeHead(block + "\r\n"));
  const auto refused = JudgeHead(block + "X-More: 1\r\n\r\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, 431);
}

TEST(FramingGateTest, TakesATargetOf8KiBAndNoMore) {
  const std::string longest = "/" + std::string(kMaxTargetBytes - 1, 'a');
  EXPECT_TRUE(JudgeHead("GET " + longest + " HTTP/1.1\r\nHost: a\r\n\r\n"));
  const auto refused = JudgeHead("GET " + longest + "a HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, 414);
}

}  // namespace
}  // namespace mlprof
