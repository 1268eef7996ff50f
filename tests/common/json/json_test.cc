#include "common/json/json.h"

#include <gtest/gtest.h>

#include <ctime>

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

TEST(ParseJsonTest, CountsDepthInOpenContainers) {
  EXPECT_EQ(Problem(std::string(65, '[') + std::string(65, ']')), "");
  EXPECT_EQ(Problem(std::string(66, '[') + std::string(66, ']')),
            "JSON refused: nested too deeply");
}

// Of a list of objects each object once made the parser walk all of those before it: 1 MiB took 18
// s.
TEST(ParseJsonTest, TakesTimeThatGrowsWithTheTextAlone) {
  const auto objects = [](int count) {
    std::string text = "[{}";
    for (int i = 1; i < count; ++i) text += ",{}";
    return text + "]";
  };
  const auto cpu_seconds = [](const std::string& text) {
    timespec before{}, after{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    EXPECT_TRUE(ParseJson(text, {.max_nodes = 1'000'000}));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return static_cast<double>(after.tv_sec - before.tv_sec) +
           static_cast<double>(after.tv_nsec - before.tv_nsec) * 1e-9;
  };
  const double small = cpu_seconds(objects(20'000));
  const double large = cpu_seconds(objects(320'000));
  EXPECT_LT(large, 64 * small) << small;  // sixteen times the text; quadratic would be 256
}

TEST(ScanJsonTest, TellsEveryValueWithItsDepth) {
  std::string heard;
  const auto listener = [&](JsonEvent event, std::size_t depth, std::string& text) {
    heard += std::to_string(static_cast<int>(event)) + std::to_string(depth) + text + " ";
    return true;
  };
  ASSERT_TRUE(ScanJson(R"({"a":["b",1,{}]})", {}, listener));
  EXPECT_EQ(heard, "00 41a 21 52b 62 02 12 31 10 ");
}

TEST(ScanJsonTest, EndsWhenTheListenerHasHeardEnough) {
  int heard = 0;
  EXPECT_TRUE(ScanJson("[1,2,3,4] and what is no JSON", {},
                       [&](JsonEvent, std::size_t, std::string&) { return ++heard < 3; }));
  EXPECT_EQ(heard, 3);
}

TEST(DumpJsonTest, ReplacesInvalidUtf8) { EXPECT_EQ(DumpJson(Json("a\xff")), "\"a\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace mlprof
