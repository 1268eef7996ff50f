#include "server/rest/query_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/rest/model_requests.h"

namespace mlprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

HttpRequest Asking(std::vector<std::pair<std::string, std::string>> query) {
  HttpRequest request;
  request.query = std::move(query);
  return request;
}

std::vector<std::string> BadParameters(QueryReader& query) {
  std::vector<std::string> pointers;
  const Status status = query.Done();
  if (status) return pointers;
  for (const FieldError& field : status.error().fields()) pointers.push_back(field.pointer);
  return pointers;
}

TEST(QueryReaderTest, HasDefaults) {
  const HttpRequest request = Asking({});
  QueryReader query(request);
  EXPECT_EQ(query.Workspace(), "default");
  EXPECT_EQ(query.Page().top, 100);
  EXPECT_EQ(query.Page().cursor, "");
  EXPECT_TRUE(query.Done().has_value());
}

TEST(QueryReaderTest, NamesEveryBadParameterAtOnce) {
  const HttpRequest request = Asking({{"workspace", "a/b"},
                                      {"top", "1001"},
                                      {"cursor", "zz"},
                                      {"name", "x"},
                                      {"name", "y"},
                                      {"from", "-1"},
                                      {"what", "1"},
                                      {"what", "2"}});
  QueryReader query(request);
  query.Workspace();
  query.Page();
  query.Text("name", CheckName);
  query.Seconds("from");
  query.RequiredText("id", CheckId);
  EXPECT_THAT(BadParameters(query), UnorderedElementsAre("/workspace", "/top", "/cursor", "/name",
                                                         "/from", "/id", "/what"));
}

TEST(QueryReaderTest, TakesPercentagesOnly) {
  for (const char* text : {"0", "101", "-1", "x", "1%", "nan", "inf", ""}) {
    const HttpRequest request = Asking({{"share", text}});
    QueryReader query(request);
    query.Percent("share");
    EXPECT_THAT(BadParameters(query), UnorderedElementsAre("/share")) << text;
  }
  const HttpRequest request = Asking({{"share", "0.5"}});
  QueryReader query(request);
  EXPECT_EQ(query.Percent("share"), 0.5);
  EXPECT_EQ(query.Percent("other"), std::nullopt);
}

TEST(QueryReaderTest, TakesWholeNumbersWithinTheirRangeOnly) {
  for (const char* text : {"0", "1001", "x", "1x", "", "1.5", "+5", " 5"}) {
    const HttpRequest request = Asking({{"top", text}});
    QueryReader query(request);
    query.Page();
    EXPECT_THAT(BadParameters(query), ElementsAre("/top")) << text;
  }
}

TEST(QueryReaderTest, TakesFiniteSecondsOnly) {
  for (const char* text : {"nan", "inf", "1e999", "-0.1", ""}) {
    const HttpRequest request = Asking({{"to", text}});
    QueryReader query(request);
    EXPECT_EQ(query.Seconds("to"), std::nullopt) << text;
  }
  const HttpRequest request = Asking({{"to", "1.5"}});
  EXPECT_EQ(QueryReader(request).Seconds("to"), 1.5);
}

TEST(TagQueryTest, SplitsAtTheFirstEqualsSign) {
  const HttpRequest request = Asking({{"tag", "a=b=c"}, {"tag", "d="}});
  QueryReader query(request);
  EXPECT_THAT(ReadTags(query), ElementsAre(std::pair("a", "b=c"), std::pair("d", "")));
  EXPECT_TRUE(query.Done().has_value());
}

TEST(TagQueryTest, RefusesTagsWithoutValueAndTwice) {
  const HttpRequest request = Asking({{"tag", "a"}, {"tag", "b=1"}, {"tag", "b=2"}, {"tag", "=x"}});
  QueryReader query(request);
  ReadTags(query);
  EXPECT_THAT(BadParameters(query), ElementsAre("/tag", "/tag", "/tag"));
}

TEST(TagQueryTest, FiltersByKeyOrByKeyAndValue) {
  const HttpRequest request = Asking({{"tag", "a"}, {"tag", "b=1"}});
  QueryReader query(request);
  const auto filters = ReadTagFilters(query);
  ASSERT_EQ(filters.size(), 2u);
  EXPECT_EQ(filters[0].value, std::nullopt);
  EXPECT_EQ(filters[1].value, "1");
}

}  // namespace
}  // namespace mlprof::server
