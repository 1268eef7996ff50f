#include "agent/null_server/request_counter.h"

#include <gtest/gtest.h>

namespace mlprof::agent {
namespace {

const std::string kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string kPost = "POST / HTTP/1.1\r\ncontent-LENGTH:  5\r\nHost: x\r\n\r\nab\r\n\r";

TEST(RequestCounterTest, CountsRequestsCutAtAnyByte) {
  const std::string stream = kGet + kPost + kPost + kGet;
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    RequestCounter counter;
    const int first = counter.Feed(stream.substr(0, cut));
    EXPECT_EQ(first + counter.Feed(stream.substr(cut)), 4) << cut;
  }
  RequestCounter counter;
  int sum = 0;
  for (const char byte : stream) sum += counter.Feed({&byte, 1});
  EXPECT_EQ(sum, 4);
}

TEST(RequestCounterTest, RefusesWhatHasNoEnd) {
  EXPECT_EQ(RequestCounter().Feed("GET / HTTP/1.1\r\na: " + std::string(100'000, 'x')), -1);
  EXPECT_EQ(RequestCounter().Feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), -1);
  EXPECT_EQ(RequestCounter().Feed("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), -1);
}

}  // namespace
}  // namespace mlprof::agent
