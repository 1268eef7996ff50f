#include "server/rest/problem.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

Json Body(const HttpResponse& response) { return *ParseJson(std::get<std::string>(response.body)); }

TEST(ProblemTest, WritesTypeTitleStatusDetailAndInstance) {
  const HttpResponse response = ProblemResponse(Conflict("it exists"), "/profiles");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.headers.Get("Content-Type"), "application/problem+json");
  EXPECT_EQ(Body(response), (Json{{"type", "urn:mlprof:error:conflict"},
                                  {"title", "Conflict"},
                                  {"status", 409},
                                  {"detail", "it exists"},
                                  {"instance", "/profiles"}}));
}

TEST(ProblemTest, ListsTheBadFields) {
  const Error error(ErrorCode::kInvalidArgument, "bad", {{"/a", "is required"}});
  EXPECT_EQ(Body(ProblemResponse(error, "/"))["errors"],
            (Json::array({{{"pointer", "/a"}, {"detail", "is required"}}})));
}

TEST(ProblemTest, NamesWhatTheHttpServerRefuses) {
  HttpRequest request;
  request.path = "/x";
  const HttpResponse response = RefuseWithProblem(405, "PUT is not possible here", request);
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(Body(response)["type"], "urn:mlprof:error:methodNotAllowed");
  EXPECT_EQ(Body(RefuseWithProblem(404, "", request))["type"], "urn:mlprof:error:notFound");
  EXPECT_FALSE(Body(RefuseWithProblem(400, "", HttpRequest())).contains("instance"));
}

}  // namespace
}  // namespace mlprof::server
