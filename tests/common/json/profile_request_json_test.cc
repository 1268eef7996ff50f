#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/json/domain_json.h"
#include "common/json/json_reader.h"
#include "common/json/objective_json.h"

namespace mlprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

Json Minimal() { return *ParseJson(R"({"modelIds":["m"],"inputDatasetId":"d"})"); }

Result<ProfileRequest> DecodeRequest(const Json& json) {
  std::vector<FieldError> problems;
  ProfileRequest request = DecodeProfileRequest(json, problems);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return request;
}

std::vector<std::string> BadFields(const Json& json) {
  std::vector<std::string> pointers;
  const auto request = DecodeRequest(json);
  if (request) return pointers;
  for (const FieldError& field : request.error().fields()) pointers.push_back(field.pointer);
  return pointers;
}

TEST(ProfileRequestJsonTest, ReadsTheDocumentedExample) {
  const auto request = DecodeRequest(*ParseJson(R"({
    "name":"p1","description":"","modelIds":["sentiment:1"],"inputDatasetId":"requests:1",
    "inferenceConfig":{},"containerResourceRequirements":{"cpu":3.5,"memoryInGb":15},
    "objective":{"concurrency":1,"requestsPerSecond":null,"latencyInMs":{"p95":50},
                 "maxErrorRate":0},
    "accelerator":{"type":"none","count":0},"runtime":"docker","budgetSeconds":300,"seed":1})"));
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ(request->name, "p1");
  EXPECT_FALSE(request->inference_config.has_value());
  EXPECT_EQ(request->ceiling, (Ceiling{Cores::FromTenths(35), GiB(15)}));
  EXPECT_EQ(request->objective.concurrency, 1);
  EXPECT_EQ(request->objective.requests_per_second, std::nullopt);
  EXPECT_EQ(request->objective.latency_ms.at("p95"), 50);
}

TEST(ProfileRequestJsonTest, KeepsWhatCouldBeReadBesideABadField) {
  Json json = Minimal();
  json["budgetSeconds"] = 0;
  std::vector<FieldError> problems;
  EXPECT_THAT(DecodeProfileRequest(json, problems).model_ids, ElementsAre("m"));
  EXPECT_EQ(problems.size(), 1u);
}

TEST(ProfileRequestJsonTest, NeedsOnlyModelAndDataset) {
  const auto request = DecodeRequest(Minimal());
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->budget, std::chrono::seconds(300));
  EXPECT_EQ(request->seed, 1u);
  EXPECT_THAT(BadFields(Json::object()), ElementsAre("/modelIds", "/inputDatasetId"));
}

TEST(ProfileRequestJsonTest, NamesAllBadFieldsAtOnce) {
  EXPECT_THAT(BadFields(*ParseJson(R"({
        "name":"-x","modelIds":["ok","no good"],"inputDatasetId":7,"what":1,
        "containerResourceRequirements":{"cpu":0.25,"memoryInGb":0},
        "objective":{"concurrency":0,"latencyInMs":{"p42":1,"p95":-1},"maxErrorRate":2},
        "accelerator":{"type":"npu"},"runtime":"vm","budgetSeconds":0,"seed":-1})")),
              UnorderedElementsAre("/name", "/modelIds/1", "/inputDatasetId", "/what",
                                   "/containerResourceRequirements/cpu",
                                   "/containerResourceRequirements/memoryInGb",
                                   "/objective/concurrency", "/objective/latencyInMs/p42",
                                   "/objective/latencyInMs/p95", "/objective/maxErrorRate",
                                   "/accelerator/type", "/runtime", "/budgetSeconds", "/seed"));
}

TEST(ProfileRequestJsonTest, RefusesACeilingThatNoContainerRunsUnder) {
  Json json = Minimal();
  json["containerResourceRequirements"] = {{"cpu", 0.05}, {"memoryInGb", 0.0001}};
  EXPECT_THAT(BadFields(json), ElementsAre("/containerResourceRequirements/cpu",
                                           "/containerResourceRequirements/memoryInGb"));
  json["containerResourceRequirements"] = {{"memoryInGb", 0.031}};
  EXPECT_THAT(BadFields(json), ElementsAre("/containerResourceRequirements/memoryInGb"));
  const auto refused = DecodeRequest(json);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().fields().at(0).detail, HasSubstr("0.03125"));
  json["containerResourceRequirements"] = {{"cpu", 0.1}, {"memoryInGb", 0.03125}};
  EXPECT_EQ(DecodeRequest(json)->ceiling, (Ceiling{Cores::FromTenths(1), MiB(32)}));
}

TEST(ProfileRequestJsonTest, RefusesRateAndConcurrencyTogether) {
  Json json = Minimal();
  json["objective"] = {{"concurrency", 2}, {"requestsPerSecond", 10}};
  EXPECT_THAT(BadFields(json), ElementsAre("/objective/requestsPerSecond"));
}

TEST(ProfileRequestJsonTest, ReadsARateAndHowItArrives) {
  Json json = Minimal();
  json["objective"] = {{"requestsPerSecond", 10}};
  EXPECT_EQ(DecodeRequest(json)->objective.requests_per_second, 10);
  EXPECT_EQ(DecodeRequest(json)->objective.arrivals, Arrivals::kPoisson);
  json["objective"]["arrivals"] = nullptr;
  EXPECT_EQ(DecodeRequest(json)->objective.arrivals, Arrivals::kPoisson);
  json["objective"]["arrivals"] = "constant";
  EXPECT_EQ(DecodeRequest(json)->objective.arrivals, Arrivals::kConstant);
}

TEST(ProfileRequestJsonTest, ReadsArrivalsWithScatteredGaps) {
  Json json = Minimal();
  json["objective"] = {{"requestsPerSecond", 10}, {"arrivals", {{"gamma", {{"cv", 2}}}}}};
  EXPECT_EQ(DecodeRequest(json)->objective.arrivals, Arrivals::Gamma(2));
  json["objective"]["arrivals"] = {{"trace", "times:1"}};
  EXPECT_EQ(DecodeRequest(json)->objective.arrivals, Arrivals::Trace("times:1"));
  EXPECT_EQ(EncodeObjective(DecodeRequest(json)->objective).at("arrivals"),
            json["objective"]["arrivals"]);
}

TEST(ProfileRequestJsonTest, RefusesArrivalsThatSayNothing) {
  Json json = Minimal();
  const std::vector<std::pair<Json, std::string>> cases = {
      {"bursts", ""},
      {1, ""},
      {true, ""},
      {"gamma", ""},
      {Json::object(), "/gamma"},
      {{{"gamma", 2}}, "/gamma"},
      {{{"gamma", Json::object()}}, "/gamma/cv"},
      {{{"gamma", {{"cv", 0}}}}, "/gamma/cv"},
      {{{"gamma", {{"cv", 11}}}}, "/gamma/cv"},
      {{{"gamma", {{"cv", 2}, {"shape", 1}}}}, "/gamma/shape"},
      {{{"gamma", {{"cv", 2}}}, {"trace", "d:1"}}, "/trace"},
  };
  for (const auto& [arrivals, pointer] : cases) {
    json["objective"] = {{"requestsPerSecond", 10}, {"arrivals", arrivals}};
    EXPECT_THAT(BadFields(json), ElementsAre("/objective/arrivals" + pointer)) << arrivals;
  }
  json["objective"] = {{"concurrency", 1}, {"arrivals", "constant"}};
  EXPECT_THAT(BadFields(json), ElementsAre("/objective/arrivals"));
}

TEST(ProfileRequestJsonTest, ReadsHowSoonAContainerMustServe) {
  Json json = Minimal();
  EXPECT_EQ(DecodeRequest(json)->objective.start_within_seconds, std::nullopt);
  json["objective"] = {{"startWithinSeconds", nullptr}};
  EXPECT_EQ(DecodeRequest(json)->objective.start_within_seconds, std::nullopt);
  json["objective"] = {{"startWithinSeconds", 20.5}};
  EXPECT_EQ(DecodeRequest(json)->objective.start_within_seconds, 20.5);
}

TEST(ProfileRequestJsonTest, RefusesAStartThatIsNoTime) {
  Json json = Minimal();
  for (const Json& within : {Json(0), Json(-1), Json(1e6), Json("20"), Json(true)}) {
    json["objective"] = {{"startWithinSeconds", within}};
    EXPECT_THAT(BadFields(json), ElementsAre("/objective/startWithinSeconds"));
  }
}

TEST(ProfileRequestJsonTest, KnowsWhetherTheBudgetWasNamed) {
  Json json = Minimal();
  EXPECT_FALSE(DecodeRequest(json)->budget_given);
  json["budgetSeconds"] = 300;
  EXPECT_TRUE(DecodeRequest(json)->budget_given);
}

TEST(ObjectiveJsonTest, TellsHowSoonAContainerMustServeWhereThatWasAsked) {
  Objective objective;
  EXPECT_FALSE(EncodeObjective(objective).contains("startWithinSeconds"));
  objective.start_within_seconds = 20;
  EXPECT_EQ(EncodeObjective(objective)["startWithinSeconds"], 20);
}

TEST(ProfileRequestJsonTest, ReadsOverWhichConnectionsRowsGo) {
  Json json = Minimal();
  EXPECT_EQ(DecodeRequest(json)->objective.connections, std::nullopt);
  json["objective"] = {{"connections", "perRequest"}};
  EXPECT_EQ(DecodeRequest(json)->objective.connections, ConnectionUse::kPerRequest);
  json["objective"]["connections"] = nullptr;
  EXPECT_EQ(DecodeRequest(json)->objective.connections, std::nullopt);
  for (const Json& senseless : {Json("keepalive"), Json(1)}) {
    json["objective"]["connections"] = senseless;
    EXPECT_THAT(BadFields(json), ElementsAre("/objective/connections"));
  }
}

TEST(ObjectiveJsonTest, HasConnectionsOnceTheyAreKnown) {
  Objective objective;
  EXPECT_FALSE(EncodeObjective(objective).contains("connections"));
  for (const auto use :
       {ConnectionUse::kKeepAlive, ConnectionUse::kPerRequest, ConnectionUse::kBoth}) {
    objective.connections = use;
    EXPECT_EQ(ParseConnections(EncodeObjective(objective)["connections"].get<std::string>()), use);
  }
}

TEST(ObjectiveJsonTest, HasArrivalsOnlyBesideARate) {
  Objective objective;
  objective.arrivals = Arrivals::kConstant;
  EXPECT_FALSE(EncodeObjective(objective).contains("arrivals"));
  objective.requests_per_second = 5;
  EXPECT_EQ(EncodeObjective(objective)["arrivals"], "constant");
  EXPECT_TRUE(EncodeObjective(objective)["concurrency"].is_null());
}

TEST(ProfileRequestJsonTest, ReadsWhatLaterVersionsBring) {
  Json json = Minimal();
  json["accelerator"] = {{"type", "gpu"}};
  const auto request = DecodeRequest(json);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->accelerator, (Accelerator{AcceleratorType::kGpu, 1}));
}

TEST(ProfileRequestJsonTest, RefusesNullWhereItIsNoExample) {
  Json json = Minimal();
  json["name"] = nullptr;
  EXPECT_THAT(BadFields(json), ElementsAre("/name"));
}

TEST(ProfileRequestJsonTest, TakesNullAndEmptyForNoInferenceConfig) {
  for (const Json& absent : {Json(nullptr), Json::object()}) {
    Json json = Minimal();
    json["inferenceConfig"] = absent;
    const auto request = DecodeRequest(json);
    ASSERT_TRUE(request.has_value());
    EXPECT_FALSE(request->inference_config.has_value());
  }
}

TEST(ProfileRequestJsonTest, PointsIntoTheInferenceConfig) {
  Json json = Minimal();
  json["inferenceConfig"] = {{"entryScript", "../score.py"}};
  EXPECT_THAT(BadFields(json),
              UnorderedElementsAre("/inferenceConfig/entryScript", "/inferenceConfig/sourceId"));
}

TEST(ProfileRequestJsonTest, RefusesADocumentThatIsNoObject) {
  EXPECT_THAT(BadFields(Json::array()), ElementsAre(""));
}

}  // namespace
}  // namespace mlprof
