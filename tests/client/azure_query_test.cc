#include "client/cli/azure/query.h"

#include <gtest/gtest.h>

namespace mlprof::client::cli {
namespace {

const Json kModels = {{{"id", "a:2"}, {"tags", {{"team", "nlp"}}}, {"parts", {1, 2}}},
                      {{"id", "a:1"}, {"tags", ""}, {"parts", {3}}}};

TEST(QueryTest, FindsMembersAndItems) {
  EXPECT_EQ(ApplyQuery("[0].id", kModels).value(), "a:2");
  EXPECT_EQ(ApplyQuery("[-1].id", kModels).value(), "a:1");
  EXPECT_EQ(ApplyQuery("[0].tags.\"team\"", kModels).value(), "nlp");
  EXPECT_EQ(ApplyQuery("[0]", kModels).value(), kModels[0]);
}

TEST(QueryTest, ProjectsOverListsAndLeavesOutWhatIsNotThere) {
  EXPECT_EQ(ApplyQuery("[].id", kModels).value(), Json({"a:2", "a:1"}));
  EXPECT_EQ(ApplyQuery("[*].tags.team", kModels).value(), Json::array({"nlp"}));
  EXPECT_EQ(ApplyQuery("[].parts[0]", kModels).value(), Json({1, 3}));
}

TEST(QueryTest, FlattensOneLevel) {
  EXPECT_EQ(ApplyQuery("[]", Json({{1, 2}, 3})).value(), Json({1, 2, 3}));
  EXPECT_EQ(ApplyQuery("[*]", Json({{1, 2}, 3})).value(), Json({{1, 2}, 3}));
}

TEST(QueryTest, FindsNullWhereThereIsNothing) {
  for (const char* query : {"id", "[7]", "[-3]", "[0].id.x", "[0].nosuch", "a[]"}) {
    EXPECT_TRUE(ApplyQuery(query, kModels)->is_null()) << query;
  }
}

TEST(QueryTest, RefusesTheRestOfJmesPath) {
  for (const char* query : {"", "[?id=='a']", "length(@)", "[0", "a.", "a..b", ".a", "[1x]",
                            "{a:b}", "a | b", "\"a", "a b"}) {
    const auto found = ApplyQuery(query, kModels);
    ASSERT_FALSE(found) << query;
    EXPECT_EQ(found.error().code(), ErrorCode::kInvalidArgument) << query;
  }
}

}  // namespace
}  // namespace mlprof::client::cli
