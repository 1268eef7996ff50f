#include "agent/relay/request_head.h"

#include <gtest/gtest.h>

namespace mlprof::agent {
namespace {

agent_protocol::Start WithHeaders(std::map<std::string, std::string> headers) {
  agent_protocol::Start start;
  start.headers = std::move(headers);
  return start;
}

TEST(RequestHeadTest, IsExactlyWhatIsSent) {
  const auto head = RequestHead::ForRows(WithHeaders({{"Content-Type", "application/json"}}));
  ASSERT_TRUE(head);
  std::string out;
  head->AppendTo(out, 12);
  EXPECT_EQ(out,
            "POST /score HTTP/1.1\r\nContent-Type: application/json\r\nHost: localhost\r\n"
            "Content-Length: 12\r\n\r\n");
}

TEST(RequestHeadTest, AGivenHostIsKept) {
  const auto head = RequestHead::ForRows(WithHeaders({{"host", "model"}}));
  ASSERT_TRUE(head);
  std::string out;
  head->AppendTo(out, 0);
  EXPECT_EQ(out, "POST /score HTTP/1.1\r\nhost: model\r\nContent-Length: 0\r\n\r\n");
}

TEST(RequestHeadTest, TheReadinessRequestHasNoBody) {
  const auto head = RequestHead::ForReadiness(agent_protocol::Start());
  ASSERT_TRUE(head);
  std::string out;
  head->AppendTo(out, 0);
  EXPECT_EQ(out, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

TEST(RequestHeadTest, NothingBreaksOutOfItsPlace) {
  EXPECT_FALSE(RequestHead::ForRows(WithHeaders({{"a", "b\r\nc: d"}})));
  EXPECT_FALSE(RequestHead::ForRows(WithHeaders({{"a b", "c"}})));
  EXPECT_FALSE(RequestHead::ForRows(WithHeaders({{"", "c"}})));
  EXPECT_FALSE(RequestHead::ForRows(WithHeaders({{"Content-Length", "1"}})));
  EXPECT_FALSE(RequestHead::ForRows(WithHeaders({{"transfer-encoding", "chunked"}})));
  for (const char* path : {"", "score", "/a b", "/a\r\nb"}) {
    agent_protocol::Start start;
    start.path = path;
    EXPECT_FALSE(RequestHead::ForRows(start)) << path;
  }
  agent_protocol::Start start;
  start.method = "PO ST";
  EXPECT_FALSE(RequestHead::ForRows(start));
  start.readiness_path = "ready";
  EXPECT_FALSE(RequestHead::ForReadiness(start));
}

}  // namespace
}  // namespace mlprof::agent
