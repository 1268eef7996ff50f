#include "common/json/json.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

std::string Problem(const std::string& text, const JsonLimits& limits = {}) {
  const auto json = ParseJson(text, limits);
  return json ? "" : json.error().message();
}

TEST(ParseJsonTest, NamesTheByteWhereTheTextStopsBeingJson) {
  EXPECT_EQ(Problem(R"({"a":})"), "not JSON at byte 6");
  EXPECT_NE(Problem(""), "");
  EXPECT_NE(Problem("{} x"), "");
}

TEST(ParseJsonTest, RefusesWhatIsTooDeepTooLargeOrTooMany) {
  EXPECT_EQ(Problem(std::string(100'000, '[')), "JSON refused: nested too deeply");
  EXPECT_NE(Problem("[1,2,3]", {.max_bytes = 3}), "");
  EXPECT_EQ(Problem("[1,2,3]", {.max_nodes = 2}), "JSON refused: too many values");
}

TEST(ParseJsonTest, RefusesAKeyThatIsThereTwice) {
  EXPECT_EQ(Problem(R"({"a":1,"b":{"a":1},"a":2})"), "JSON refused: the key \"a\" is there twice");
}

TEST(ParseJsonTest, RefusesANumberOutOfRange) {
  EXPECT_EQ(Problem("[1e999]"), "JSON refused: a number is out of range");
}

TEST(DumpJsonTest, ReplacesInvalidUtf8) { EXPECT_EQ(DumpJson(Json("a\xff")), "\"a\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace mlprof
