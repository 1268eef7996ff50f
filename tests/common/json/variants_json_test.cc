#include "common/json/variants_json.h"

#include <gtest/gtest.h>

#include "common/json/variant_comparison_json.h"

namespace mlprof {
namespace {

Json Asked() {
  return ParseJson(R"({
    "name": "sides", "modelIds": ["m:1"], "inputDatasetId": "d:1", "budgetSeconds": 60, "seed": 9,
    "inferenceConfig": {"image": "i:1"},
    "variants": [
      {"name": "a"},
      {"name": "b", "image": "j:1", "command": ["/x"], "args": ["-y"],
       "environmentVariables": {"K": "v"}, "objective": {"concurrency": 4}},
      {"name": "c", "inferenceConfig": {"image": "k:1", "port": 9000}}],
    "prices": {"perCoreHour": 2, "perGibHour": 0.5}, "rankBy": "replica"})")
      .value();
}

VariantComparisonRequest DecodedVariants(const Json& json) {
  std::vector<FieldError> problems;
  auto request = DecodeComparisonRequest(json, problems);
  for (const FieldError& problem : problems) ADD_FAILURE() << problem.pointer << problem.detail;
  return request;
}

TEST(VariantsJsonTest, ReadsTheProfileAndWhatIsDifferentInEachVariant) {
  const auto request = DecodedVariants(Asked());
  EXPECT_EQ(request.base.seed, 9U);
  EXPECT_TRUE(request.base.budget_given);
  ASSERT_EQ(request.variants.size(), 3U);
  EXPECT_EQ(request.variants[0], (Variant{"a", {}, {}, {}, {}, {}, {}}));
  EXPECT_EQ(request.variants[1].image, "j:1");
  EXPECT_EQ(request.variants[1].objective->concurrency, 4);
  EXPECT_EQ(request.variants[1].environment_variables.at("K"), "v");
  EXPECT_EQ(std::get<ImageConfig>(request.variants[2].inference_config->service).port, 9000);
  EXPECT_EQ(request.prices, (Prices{2, 0.5}));
  EXPECT_EQ(request.rank_by, RankBy::kReplica);
}

TEST(VariantsJsonTest, WhatIsStoredIsReadAsItWas) {
  const auto request = DecodedVariants(Asked());
  const auto stored = DecodeStoredRequest(EncodeStoredRequest(request));
  ASSERT_TRUE(stored) << stored.error().message();
  EXPECT_EQ(stored->variants, request.variants);
  EXPECT_EQ(stored->prices, request.prices);
  EXPECT_EQ(stored->rank_by, request.rank_by);
  EXPECT_TRUE(stored->base.budget_given);
  EXPECT_EQ(stored->base.inference_config, request.base.inference_config);
  Json without = Asked();
  without.erase("budgetSeconds");
  EXPECT_FALSE(
      DecodeStoredRequest(EncodeStoredRequest(DecodedVariants(without)))->base.budget_given);
}

TEST(VariantsJsonTest, TheResourceIsReadAsItWasWritten) {
  VariantComparison comparison;
  comparison.id = "0c";
  comparison.workspace = "default";
  comparison.state = ComparisonState::kSucceeded;
  comparison.created = *ParseTimestamp("2026-01-02T03:04:05.678Z");
  comparison.request = DecodedVariants(Asked());
  for (const Variant& variant : comparison.request.variants) {
    VariantResult result;
    result.variant = variant;
    result.profile = "sides." + variant.name;
    result.profile_id = "id";
    comparison.results.push_back(result);
  }
  comparison.results[0].outcome = VariantOutcome::kProven;
  comparison.results[0].figures =
      VariantFigures{{Cores(0.4), MiB(512)}, 21.5, std::nullopt, 0.9, 12.5};
  comparison.results[0].rank = 1;
  comparison.results[0].on_front = true;
  comparison.results[1].outcome = VariantOutcome::kEndedEarly;
  comparison.results[1].why = "because";
  comparison.choice = VariantChoice{"a", "it is cheap", {"b"}};

  const Json json = EncodeComparison(comparison);
  const auto read = DecodeComparison(json);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(EncodeComparison(*read), json);
  EXPECT_TRUE(json.at("variants")[0].at("figures").at("requestsPerSecond").is_null());
  EXPECT_EQ(json.at("budgetSeconds"), 60);
  comparison.request.base.budget_given = false;
  EXPECT_TRUE(EncodeComparison(comparison).at("budgetSeconds").is_null());
}

TEST(VariantsJsonTest, EveryNameOfAnOutcomeAndAStateIsReadAgain) {
  for (int i = 0; i <= static_cast<int>(VariantOutcome::kDeleted); ++i) {
    const auto outcome = static_cast<VariantOutcome>(i);
    EXPECT_EQ(ParseVariantOutcome(Name(outcome)), outcome);
  }
  for (int i = 0; i <= static_cast<int>(ComparisonState::kCanceled); ++i) {
    const auto state = static_cast<ComparisonState>(i);
    EXPECT_EQ(ParseComparisonState(Name(state)), state);
  }
  EXPECT_FALSE(ParseVariantOutcome("Proven"));
  EXPECT_FALSE(ParseRankBy(""));
}

}  // namespace
}  // namespace mlprof
