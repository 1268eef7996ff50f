#include "server/rest/entity_tag.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

bool Has(const std::string& if_none_match) {
  HttpRequest request;
  request.headers.Add("If-None-Match", if_none_match);
  return HasAlready(request, EntityTag("abc"));
}

TEST(EntityTagTest, IsTheQuotedDigest) { EXPECT_EQ(EntityTag("abc"), "\"abc\""); }

TEST(EntityTagTest, IsFoundInAListWeakOrNot) {
  EXPECT_TRUE(Has("\"abc\""));
  EXPECT_TRUE(Has("\"x\" ,\tW/\"abc\""));
  EXPECT_TRUE(Has("*"));
  EXPECT_FALSE(Has(""));
  EXPECT_FALSE(Has("abc"));
  EXPECT_FALSE(Has("\"ab\", \"abcd\",,"));
  EXPECT_FALSE(HasAlready(HttpRequest(), EntityTag("abc")));
}

}  // namespace
}  // namespace mlprof::server
