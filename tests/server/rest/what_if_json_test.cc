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

TEST(WhatIfJsonTest, TakesANumberOfWorkers) {
  EXPECT_EQ(DecodeWhatIfQuestion({{"workers", 8}}, Own())->workers, 8);
  EXPECT_EQ(DecodeWhatIfQuestion({{"workers", nullptr}}, Own())->workers, std::nullopt);
  for (const Json& bad : {Json(0), Json(1025), Json("4"), Json(1.5)}) {
    const auto question = DecodeWhatIfQuestion({{"workers", bad}}, Own());
    ASSERT_FALSE(question);
    EXPECT_EQ(question.error().fields().at(0).pointer, "/workers");
  }
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
  answer.recommendation.emplace().requested = {Cores::FromTenths(7), MiB(96)};
  answer.within_measured = false;
  answer.notes = {"above the knee"};
  Json json = EncodeWhatIfAnswer(answer);
  EXPECT_EQ(json["withinMeasured"], false);
  EXPECT_EQ(json["notes"], Json({"above the knee"}));
  EXPECT_TRUE(json["noAnswer"].is_null());
  json.erase("noAnswer");
  json.erase("withinMeasured");
  json.erase("notes");
  EXPECT_EQ(json, EncodeRecommendation(*answer.recommendation));
}

TEST(WhatIfJsonTest, AnswersThatThereIsNoneWithTheNearestRun) {
  WhatIfAnswer answer;
  answer.within_measured = false;
  NearestRun nearest;
  nearest.limits = {Cores(2.0), GiB(4)};
  nearest.concurrency = 4;
  nearest.latency_p95_ms = 96.5;
  nearest.queries_per_second = 44.6;
  nearest.short_of = "too fast";
  answer.no_answer = NoAnswer{kBeyondMeasured, "too fast", nearest};
  const Json json = EncodeWhatIfAnswer(answer);
  EXPECT_TRUE(json.at("recommendation").is_null());
  EXPECT_EQ(json.at("noAnswer"), (Json{{"code", "beyondMeasured"},
                                       {"message", "too fast"},
                                       {"nearest",
                                        {{"cpu", 2.0},
                                         {"memoryInBytes", GiB(4).count()},
                                         {"memoryInGb", 4.0},
                                         {"concurrency", 4},
                                         {"requestsPerSecond", nullptr},
                                         {"latencyPercentile95InMs", 96.5},
                                         {"measuredQueriesPerSecond", 44.6},
                                         {"shortOf", "too fast"}}}}));
  EXPECT_EQ(json.at("withinMeasured"), false);
}

}  // namespace
}  // namespace mlprof::server
