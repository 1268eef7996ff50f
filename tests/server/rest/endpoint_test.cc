#include "server/rest/endpoint.h"

#include <gtest/gtest.h>

#include "common/text/base64.h"

namespace mlprof::server {
namespace {

HttpRequest Posting(const std::string& body, const std::string& type = "application/json") {
  HttpRequest request;
  request.method = "POST";
  request.target = "/profiles?workspace=w";
  request.path = "/profiles";
  request.body = body;
  if (!type.empty()) request.headers.Add("Content-Type", type);
  return request;
}

TEST(EndpointTest, ReadsJsonOfItsOwnTypeOrNone) {
  EXPECT_TRUE(ReadJsonBody(Posting("{}")).has_value());
  EXPECT_TRUE(ReadJsonBody(Posting("{}", "application/json; charset=utf-8")).has_value());
  EXPECT_TRUE(ReadJsonBody(Posting("{}", "")).has_value());
  EXPECT_EQ(ReadJsonBody(Posting("{}", "text/plain")).error().code(), ErrorCode::kUnsupportedMedia);
  EXPECT_EQ(ReadJsonBody(Posting("{")).error().code(), ErrorCode::kInvalidArgument);
}

TEST(EndpointTest, TellsRequestsApartByAllTheyAskFor) {
  const auto fingerprint = [](HttpRequest request) {
    request.headers.Add("Idempotency-Key", "k");
    return ReadIdempotencyKey(request)->fingerprint;
  };
  HttpRequest other_target = Posting("{}");
  other_target.target = "/profiles?workspace=v";
  EXPECT_EQ(fingerprint(Posting("{}")), fingerprint(Posting("{}")));
  EXPECT_NE(fingerprint(Posting("{}")), fingerprint(Posting("{ }")));
  EXPECT_NE(fingerprint(Posting("{}")), fingerprint(other_target));
  EXPECT_EQ(ReadIdempotencyKey(Posting("{}"))->key, "");
}

TEST(EndpointTest, RefusesKeysThatAreNotVisibleText) {
  for (const std::string& key : {std::string(), std::string("a b"), std::string(256, 'k')}) {
    HttpRequest request = Posting("{}");
    request.headers.Add("Idempotency-Key", key);
    EXPECT_FALSE(ReadIdempotencyKey(request).has_value()) << key;
  }
}

TEST(EndpointTest, LeadsToTheNewResourceInItsWorkspace) {
  EXPECT_EQ(CreatedResponse(201, {}, "/models/m:1", "default").headers.Get("Location"),
            "/models/m:1");
  EXPECT_EQ(CreatedResponse(201, {}, "/models/m:1", "s/g/w").headers.Get("Location"),
            "/models/m:1?workspace=s%2Fg%2Fw");
}

TEST(SliceTest, GoesThroughAListPageByPage) {
  const std::vector<int> all = {1, 2, 3};
  const auto first = Slice(all, {2, ""});
  EXPECT_EQ(first->value, (std::vector{1, 2}));
  const auto second = Slice(all, {2, *first->next_cursor});
  EXPECT_EQ(second->value, std::vector{3});
  EXPECT_EQ(second->next_cursor, std::nullopt);
  EXPECT_FALSE(Slice(all, {2, "4"}).has_value());
  EXPECT_FALSE(Slice(all, {2, "x"}).has_value());
}

TEST(Base64Test, EncodesTheVectorsOfTheStandard) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(EncodeBase64("\xff"), "/w==");
}

}  // namespace
}  // namespace mlprof::server
