#include "common/http/router.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

Router MakeRouter() {
  Router router;
  const auto add = [&](std::string method, std::string pattern) {
    router.Add({std::move(method), std::move(pattern), {}, nullptr});
  };
  add("GET", "/");
  add("GET", "/models");
  add("POST", "/models");
  add("GET", "/models/{id}");
  add("DELETE", "/models/{id}");
  add("GET", "/models/{id}/content");
  add("GET", "/models/newest");
  add("GET", "/profiles/{name}/artifacts/{path...}");
  return router;
}

std::string PatternOf(const Router::Match& match) {
  return match.route ? match.route->method + " " + match.route->pattern : "";
}

TEST(RouterTest, FindsTheRouteOfAPath) {
  const Router router = MakeRouter();
  EXPECT_EQ(PatternOf(router.Find("GET", "/")), "GET /");
  EXPECT_EQ(PatternOf(router.Find("POST", "/models")), "POST /models");
  EXPECT_EQ(PatternOf(router.Find("GET", "/models/a/content")), "GET /models/{id}/content");
  EXPECT_EQ(PatternOf(router.Find("GET", "/m%6fdels")), "GET /models");
}

TEST(RouterTest, PrefersALiteralToAParameter) {
  EXPECT_EQ(PatternOf(MakeRouter().Find("GET", "/models/newest")), "GET /models/newest");
  EXPECT_EQ(PatternOf(MakeRouter().Find("DELETE", "/models/newest")), "DELETE /models/{id}");
}

TEST(RouterTest, DecodesAParameterExactlyOnce) {
  const Router router = MakeRouter();
  const auto id = [&](std::string_view path) { return router.Find("GET", path).parameters["id"]; };
  EXPECT_EQ(id("/models/sentiment:1"), "sentiment:1");
  EXPECT_EQ(id("/models/sentiment%3A1"), "sentiment:1");
  EXPECT_EQ(id("/models/sentiment%3a1"), "sentiment:1");
  EXPECT_EQ(id("/models/a%253A1"), "a%3A1");
  EXPECT_EQ(id("/models/a+b%20c"), "a+b c");
  EXPECT_EQ(id("/models/%C3%A4"), "\xC3\xA4");
}

TEST(RouterTest, GivesTheRestOfAPath) {
  const Router router = MakeRouter();
  auto match = router.Find("GET", "/profiles/p/artifacts/a/b%20c");
  EXPECT_EQ(match.parameters["name"], "p");
  EXPECT_EQ(match.parameters["path"], "a/b c");
  EXPECT_FALSE(router.Find("GET", "/profiles/p/artifacts").route);
  EXPECT_FALSE(router.Find("GET", "/profiles/p/artifacts/").route);
  EXPECT_FALSE(router.Find("GET", "/profiles/p/artifacts/a//b").route);
}

TEST(RouterTest, KnowsNoPathWithEmptySegments) {
  const Router router = MakeRouter();
  for (const char* path : {"/models/", "/models//content", "//", "/nothing", "/models/a/b/c"}) {
    const auto match = router.Find("GET", path);
    EXPECT_FALSE(match.route) << path;
    EXPECT_TRUE(match.allowed_methods.empty()) << path;
    EXPECT_FALSE(match.bad_path) << path;
  }
}

TEST(RouterTest, NamesTheMethodsThatArePossible) {
  const auto match = MakeRouter().Find("PUT", "/models/a");
  EXPECT_FALSE(match.route);
  EXPECT_EQ(match.allowed_methods, (std::vector<std::string>{"DELETE", "GET", "HEAD"}));
}

TEST(RouterTest, RespondsToHeadByGet) {
  EXPECT_EQ(PatternOf(MakeRouter().Find("HEAD", "/models/a")), "GET /models/{id}");
}

TEST(RouterTest, RefusesAPathThatCouldMeanAnother) {
  const Router router = MakeRouter();
  for (const char* path : {"/models/a%2fb",  "/models/a%2Fb", "/models/a%5cb",
                           "/models/a\\b",   "/models/a%00",  "/models/a%0a",
                           "/models/a%7f",   "/models/a;b",   "/models/.",
                           "/models/..",     "/models/%2e",   "/models/%2E%2e",
                           "/models/.%2e/x", "/models/%",     "/models/%4",
                           "/models/%zz",    "/models/%ff",   "/models/%c0%af",
                           "/models/\"a\"",  "/models/{id}",  "",
                           "models"}) {
    EXPECT_TRUE(router.Find("GET", path).bad_path) << path;
  }
  for (const char* path : {"/models/...", "/models/a..b", "/models/.a", "/models/a%3Bb"}) {
    EXPECT_FALSE(router.Find("GET", path).bad_path) << path;
  }
}

TEST(RouterDeathTest, RefusesTheSameRouteTwice) {
  Router router = MakeRouter();
  EXPECT_DEATH(router.Add({"GET", "/models", {}, nullptr}), "added twice");
}

}  // namespace
}  // namespace mlprof
