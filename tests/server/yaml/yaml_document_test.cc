#include "server/yaml/yaml_document.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(YamlDocument, ReadsMapsListsAndScalarsAsText) {
  const auto json = ParseYaml("a: 1\nb:\n  - x: \"\\n\"\n  - 'y'\nc:\nd: {e: false}\n");
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(DumpJson(*json), R"({"a":"1","b":[{"x":"\n"},"y"],"c":null,"d":{"e":"false"}})");
}

TEST(YamlDocument, RefusesWhatADefinitionNeverNeeds) {
  for (const std::string bad : {"a: &x 1\nb: *x\n", "a: !!python/object 1\n", "a: 1\na: 2\n",
                                "? [a]\n: 1\n", "a: [1\n", "a: \"x", "a: 1\n---\na: 2\n"}) {
    const auto json = ParseYaml(bad);
    ASSERT_FALSE(json) << bad;
    EXPECT_EQ(json.error().code(), ErrorCode::kInvalidArgument) << bad;
  }
}

TEST(YamlDocument, RefusesDepthAndSize) {
  EXPECT_FALSE(ParseYaml(std::string(33, '[') + std::string(33, ']')));
  EXPECT_FALSE(ParseYaml(std::string(100'000, '[')));
  EXPECT_EQ(ParseYaml(std::string(300 << 10, 'a')).error().code(), ErrorCode::kTooLarge);
  std::string many = "[";
  for (int i = 0; i < 30'000; ++i) many += "a,";
  EXPECT_FALSE(ParseYaml(many + "a]"));
}

TEST(YamlDocument, AnEmptyTextIsNull) { EXPECT_TRUE(ParseYaml("")->is_null()); }

}  // namespace
}  // namespace mlprof::server
