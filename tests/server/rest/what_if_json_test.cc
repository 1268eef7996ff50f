#include "server/rest/what_if_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/json/domain_json.h"

namespace mlprof::server {
namespace {

using ::testing::UnorderedElementsAre;

Objective Own() {
  Objective own;
  own.concurrency = 3;
  own.latency_ms = {{"p95", 50}};
  return own;
}

TEST(WhatIfJsonTest, AsksAboutTheProfilesOwnObjectiveUnlessAnotherIsGiven) {
  for (const Json& json :
       {Json::object(), Json{{"objective", nullptr}, {"memoryMargin", nullptr}}}) {
    const auto question = DecodeWhatIfQuestion(json, Own());
    ASSERT_TRUE(question) << question.error().message();
    EXPECT_EQ(question->objective, Own());
    EXPECT_EQ(question->memory_margin, std::nullopt);
  }
}

TEST(WhatIfJsonTest, TakesAnObjectiveAsAWhole) {
  const auto question =
      DecodeWhatIfQuestion({{"objective", {{"requestsPerSecond", 40}, {"arrivals", "constant"}}},
                            {"memoryMargin", 0.25}},
                           Own());
  ASSERT_TRUE(question) << question.error().message();
  Objective asked;
  asked.requests_per_second = 40;
  asked.arrivals = Arrivals::kConstant;
  EXPECT_EQ(question->objective, asked);
  EXPECT_EQ(question->memory_margin, 0.25);
}

TEST(WhatIfJsonTest, NamesEveryBadField) {
  const auto question = DecodeWhatIfQuestion(
      {{"objective",
        {{"concurrency", 1}, {"requestsPerSecond", 2}, {"latencyInMs", {{"p42", 1}}}, {"x", 1}}},
       {"memoryMargin", -0.1},
       {"cpu", 2}},
      Own());
  ASSERT_FALSE(question);
  std::vector<std::string> pointers;
  for (const FieldError& field : question.error().fields()) pointers.push_back(field.pointer);
  EXPECT_THAT(pointers,
              UnorderedElementsAre("/objective/requestsPerSecond", "/objective/latencyInMs/p42",
                                   "/objective/x", "/memoryMargin", "/cpu"));
  EXPECT_FALSE(DecodeWhatIfQuestion(Json::array(), Own()));
  EXPECT_FALSE(DecodeWhatIfQuestion({{"memoryMargin", 11}}, Own()));
}

TEST(WhatIfJsonTest, AnswersARecommendationAndHowFarToTrustIt) {
  WhatIfAnswer answer;
  answer.recommendation.requested = {Cores::FromTenths(7), MiB(96)};
  answer.within_measured = false;
  answer.notes = {"above the knee"};
  Json json = EncodeWhatIfAnswer(answer);
  EXPECT_EQ(json["withinMeasured"], false);
  EXPECT_EQ(json["notes"], Json({"above the knee"}));
  json.erase("withinMeasured");
  json.erase("notes");
  EXPECT_EQ(json, EncodeRecommendation(answer.recommendation));
}

}  // namespace
}  // namespace mlprof::server
