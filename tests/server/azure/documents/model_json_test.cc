#include "server/azure/documents/model_json.h"
#include "tests/server/azure/parsed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// The body of the observed protocol.
const char* const kBody = R"({
  "name": "m", "url": "aml://asset/0a1b", "mimeType": "application/json", "unpack": false,
  "datasets": [], "description": "a model", "kvTags": {"area": "digits"}, "properties": {"p": "1"},
  "framework": "Custom", "frameworkVersion": "1.0",
  "resourceRequirements": {"cpu": 1, "memoryInGB": 0.5, "gpu": null},
  "sampleInputData": "aml://dataset/7023130a-1ce0-4a1e-879b-09cb739bb8f8"})";

Model Registered(const NewModel& wanted) {
  Model model;
  model.id = "m:1";
  model.name = wanted.name;
  model.version = 1;
  model.description = wanted.description;
  model.tags = wanted.tags;
  model.properties = wanted.properties;
  model.created = Timestamp(std::chrono::milliseconds(1'790'000'000'123));
  return model;
}

TEST(AzureModel, IsReadAsAClientWritesIt) {
  const auto wanted = DecodeAzureModel(Parsed(kBody));
  ASSERT_TRUE(wanted) << wanted.error().message();
  EXPECT_EQ(wanted->model.name, "m");
  EXPECT_EQ(wanted->asset_id, "0a1b");
  EXPECT_FALSE(wanted->unpack);
  EXPECT_THAT(wanted->model.tags, ElementsAre(Pair("area", "digits")));
  EXPECT_THAT(
      wanted->model.properties,
      UnorderedElementsAre(
          Pair("p", "1"), Pair("azureml.cpu", "1"), Pair("azureml.memoryInGB", "0.5"),
          Pair("azureml.frameworkVersion", "1.0"), Pair("azureml.mimeType", "application/json"),
          Pair("azureml.sampleInputDatasetId", "7023130a-1ce0-4a1e-879b-09cb739bb8f8")));
}

TEST(AzureModel, GoesBackWithEveryKeyAClientNeeds) {
  const Json json = EncodeAzureModel(Registered(DecodeAzureModel(Parsed(kBody))->model));
  EXPECT_EQ(json["id"], "m:1");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["url"], "aml://asset/m:1");
  EXPECT_EQ(json["createdTime"], "2026-09-21T14:13:20.123Z");
  EXPECT_EQ(json["kvTags"], Parsed(R"({"area": "digits"})"));
  EXPECT_EQ(json["properties"], Parsed(R"({"p": "1"})"));
  EXPECT_EQ(json["unpack"], false);
  EXPECT_TRUE(json["datasets"].is_array());
  EXPECT_EQ(json["framework"], "Custom");
  EXPECT_EQ(json["frameworkVersion"], "1.0");
  EXPECT_EQ(json["mimeType"], "application/json");
  EXPECT_EQ(json["resourceRequirements"], Parsed(R"({"cpu": 1, "memoryInGB": 0.5, "gpu": null})"));
  EXPECT_EQ(json["sampleInputData"], "aml://dataset/7023130a-1ce0-4a1e-879b-09cb739bb8f8");
}

TEST(AzureModel, ABareModelHasAListOfDatasetsToo) {
  NewModel bare;
  bare.name = "m";
  const Json json = EncodeAzureModel(Registered(bare));
  EXPECT_EQ(json["datasets"], Json::array());
  EXPECT_EQ(json["resourceRequirements"], nullptr);
  EXPECT_EQ(json["description"], nullptr);
}

TEST(AzureModel, NamesEveryBadField) {
  const auto wanted = DecodeAzureModel(
      Parsed(R"({"name": "-", "url": "https://x", "kvTags": {"a=b": "1"}, "unpack": 1})"));
  ASSERT_FALSE(wanted);
  std::vector<std::string> pointers;
  for (const FieldError& field : wanted.error().fields()) pointers.push_back(field.pointer);
  EXPECT_THAT(pointers, UnorderedElementsAre("/name", "/url", "/unpack", "/kvTags/a=b"));
  EXPECT_FALSE(DecodeAzureModel(Json::array()));
}

TEST(AzurePatch, PutsAWholeMapOfTagsInPlace) {
  Model model;
  model.tags = {{"old", "1"}, {"kept", "2"}};
  const auto change = DecodeAzurePatch(
      Parsed(R"([{"op": "replace", "path": "/kvTags", "value": {"kept": "2", "cpu": 1.5}}])"),
      model);
  ASSERT_TRUE(change) << change.error().message();
  EXPECT_THAT(change->remove_tags, ElementsAre("old"));
  EXPECT_THAT(change->add_tags, UnorderedElementsAre(Pair("kept", "2"), Pair("cpu", "1.5")));
}

TEST(AzurePatch, ChangesTheOtherFacts) {
  const auto change =
      DecodeAzurePatch(Parsed(R"([{"op": "replace", "path": "/description", "value": "d"},
                 {"op": "add", "path": "/properties", "value": {"p": "q"}},
                 {"op": "replace", "path": "/resourceRequirements", "value": {"cpu": 2}},
                 {"op": "replace", "path": "/sampleInputData", "value": "aml://dataset/x"}])"),
                       Model());
  ASSERT_TRUE(change) << change.error().message();
  EXPECT_EQ(change->description, "d");
  EXPECT_THAT(change->add_properties,
              UnorderedElementsAre(Pair("p", "q"), Pair("azureml.cpu", "2"),
                                   Pair("azureml.sampleInputDatasetId", "x")));
}

TEST(AzurePatch, RefusesWhatCannotChange) {
  for (const char* bad : {R"([{"op": "replace", "path": "/name", "value": "x"}])",
                          R"([{"op": "remove", "path": "/kvTags"}])", R"({})", R"([1])",
                          R"([{"op": "replace", "path": "/kvTags", "value": {"a": "\u0001"}}])"}) {
    EXPECT_FALSE(DecodeAzurePatch(Parsed(bad), Model())) << bad;
  }
}

TEST(AzureModelFilters, AreReadFromOneParameter) {
  const auto filters = ReadFilters("k=v,,k2,a=b=c");
  ASSERT_EQ(filters.size(), 3u);
  EXPECT_EQ(filters[0].value, "v");
  EXPECT_EQ(filters[1].key, "k2");
  EXPECT_FALSE(filters[1].value);
  EXPECT_EQ(filters[2].value, "b=c");
  EXPECT_THAT(ReadFilters(""), IsEmpty());
}

TEST(AzureModelFilters, AskForAllOfThem) {
  Model model;
  model.properties = {{"p", "1"}, {"azureml.framework", "Onnx"}};
  AzureModelFilter filter;
  EXPECT_TRUE(filter.Fits(model));
  filter.properties = {{"p", "1"}};
  filter.framework = "Onnx";
  EXPECT_TRUE(filter.Fits(model));
  filter.run_id = "r";
  EXPECT_FALSE(filter.Fits(model));
}

}  // namespace
}  // namespace mlprof::server
