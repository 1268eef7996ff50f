#include "common/http/message.h"

#include <gtest/gtest.h>

#include "common/http/response_head.h"
#include "common/text/percent.h"

namespace mlprof {
namespace {

TEST(HttpHeadersTest, ComparesNamesWithoutCase) {
  HttpHeaders headers;
  headers.Add("Content-Type", "a");
  headers.Add("X", "1");
  headers.Add("x", "2");
  EXPECT_EQ(headers.Get("content-type"), "a");
  EXPECT_EQ(headers.Get("X"), "1");
  EXPECT_EQ(headers.GetAll("X"), (std::vector<std::string>{"1", "2"}));
  headers.Set("X", "3");
  EXPECT_EQ(headers.GetAll("x"), (std::vector<std::string>{"3"}));
  EXPECT_EQ(headers.Get("absent"), std::nullopt);
}

TEST(QueryTest, DecodesPlusAndEscapes) {
  const auto fields = ParseQuery("name=a+b&tag=k%3Dv&tag=x&empty=&bare&&w=s/g%2Fn");
  ASSERT_TRUE(fields);
  HttpRequest request;
  request.query = *fields;
  EXPECT_EQ(request.Query("name"), "a b");
  EXPECT_EQ(request.QueryAll("tag"), (std::vector<std::string>{"k=v", "x"}));
  EXPECT_EQ(request.Query("empty"), "");
  EXPECT_EQ(request.Query("bare"), "");
  EXPECT_EQ(request.Query("w"), "s/g/n");
  EXPECT_EQ(request.Query("absent"), std::nullopt);
}

TEST(QueryTest, KeepsAnEscapedPlus) { EXPECT_EQ(ParseQuery("a=%2B+")->front().second, "+ "); }

TEST(QueryTest, RefusesBadEscapesAndWhatIsNotUtf8) {
  for (const char* query : {"a=%", "a=%1", "a=%g1", "a=%00", "a=%ff", "%80=a", "a=%ed%a0%80",
                            "a=%f4%90%80%80", "a=%e0%80%80", "a=%c3"}) {
    EXPECT_FALSE(ParseQuery(query)) << query;
  }
}

TEST(ResponseHeadTest, ReplacesFramingAndDropsWhatBreaksTheHeadOpen) {
  HttpHeaders headers;
  headers.Add("Content-Type", "text/plain");
  headers.Add("content-length", "99");
  headers.Add("Transfer-Encoding", "chunked");
  headers.Add("X-Evil", "a\r\nSet-Cookie: b");
  headers.Add("X Bad", "a");
  ResponseFraming framing;
  framing.content_length = 3;
  EXPECT_EQ(ResponseHead(404, headers, framing),
            "HTTP/1.1 404 Not Found\r\nServer: mlprof\r\nContent-Type: text/plain\r\n"
            "Content-Length: 3\r\nConnection: keep-alive\r\n\r\n");
}

}  // namespace
}  // namespace mlprof
