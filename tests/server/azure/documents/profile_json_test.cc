#include "server/azure/documents/profile_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/json/inference_config_json.h"
#include "tests/server/azure/parsed.h"

namespace mlprof::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

// The body of the observed protocol.
Json Body() {
  return Parsed(R"({
  "name": "unique_name", "description": null,
  "inputDatasetId": "7023130a-1ce0-4a1e-879b-09cb739bb8f8",
  "containerResourceRequirements": {"cpu": 1.0, "memoryInGB": 0.5},
  "environmentImageRequest": {
    "driverProgram": "tmpmm1cbth9.py",
    "assets": [
      {"id": "tmpmm1cbth9.py", "url": "aml://artifact/LocalUpload/a37e26bd/tmpmm1cbth9.py",
       "mimeType": "application/x-python"},
      {"id": "a90987d2.tar.gz", "url": "aml://artifact/LocalUpload/9cb577d7/a90987d2.tar.gz",
       "mimeType": "application/octet-stream", "unpack": true}],
    "modelIds": ["m:1"],
    "environment": {"name": "myenv", "version": null,
      "environmentVariables": {"EXAMPLE_ENV_VAR": "EXAMPLE_VALUE",
        "AZUREML_SOURCE_DIRECTORY": "src", "AZUREML_ENTRY_SCRIPT": "src/score.py"},
      "python": {"userManagedDependencies": false, "interpreterPath": "python",
        "condaDependenciesFile": null, "baseCondaEnvironment": null,
        "condaDependencies": {"name": "project_environment", "channels": ["anaconda"],
          "dependencies": ["python=3.8.13", "numpy", {"pip": ["azureml-defaults"]}]}},
      "docker": {"baseImage": "registry.example/base:1", "baseDockerfile": null},
      "spark": {}, "databricks": {}, "r": null, "inferencingStackVersion": null, "assetId": null}}})");
}

const EntryScriptConfig& Script(const AzureProfileRequest& wanted) {
  return std::get<EntryScriptConfig>(wanted.image.config.service);
}

std::string Refusal(const Json& body) {
  const auto wanted = DecodeAzureProfile(body);
  return wanted ? "" : wanted.error().message();
}

TEST(AzureProfileRequest, IsReadAsAClientWritesIt) {
  const auto wanted = DecodeAzureProfile(Body());
  ASSERT_TRUE(wanted) << wanted.error().message();
  EXPECT_EQ(wanted->request.name, "unique_name");
  EXPECT_EQ(wanted->request.description, "");
  EXPECT_THAT(wanted->request.model_ids, ElementsAre("m:1"));
  EXPECT_EQ(wanted->request.input_dataset_id, "7023130a-1ce0-4a1e-879b-09cb739bb8f8");
  EXPECT_EQ(wanted->request.ceiling.cpu, Cores(1.0));
  EXPECT_EQ(wanted->request.ceiling.memory, MiB(512));
  EXPECT_EQ(wanted->asked, Parsed(R"({"cpu": 1.0, "memoryInGB": 0.5})"));
}

TEST(AzureProfileRequest, NamesEveryCeilingThatNoContainerRunsUnder) {
  Json body = Body();
  body["containerResourceRequirements"] = {{"cpu", 0.05}, {"memoryInGB", 0.0001}};
  const auto wanted = DecodeAzureProfile(body);
  ASSERT_FALSE(wanted);
  std::vector<std::string> pointers;
  for (const FieldError& field : wanted.error().fields()) pointers.push_back(field.pointer);
  EXPECT_THAT(pointers, ElementsAre("/containerResourceRequirements/cpu",
                                    "/containerResourceRequirements/memoryInGB"));
}

TEST(AzureProfileRequest, BecomesAnInferenceConfig) {
  const auto wanted = DecodeAzureProfile(Body());
  ASSERT_TRUE(wanted);
  EXPECT_EQ(Script(*wanted).entry_script, "score.py");
  EXPECT_EQ(Script(*wanted).source_directory, "src");
  EXPECT_EQ(Script(*wanted).base_image, "registry.example/base:1");
  EXPECT_EQ(Script(*wanted).environment_name, "myenv");
  EXPECT_THAT(wanted->image.config.environment_variables,
              ElementsAre(Pair("EXAMPLE_ENV_VAR", "EXAMPLE_VALUE")));
  ASSERT_EQ(wanted->image.assets.size(), 1u);
  EXPECT_EQ(wanted->image.assets[0].artifact, "LocalUpload/9cb577d7/a90987d2.tar.gz");
  EXPECT_TRUE(wanted->image.assets[0].unpack);
  EXPECT_EQ(wanted->image.driver_artifact, "LocalUpload/a37e26bd/tmpmm1cbth9.py");
}

TEST(AzureProfileRequest, ItsPackagesAreThoseOfItsInferenceConfig) {
  const auto wanted = DecodeAzureProfile(Body());
  ASSERT_TRUE(wanted) << wanted.error().message();
  EXPECT_THAT(Script(*wanted).pip_packages, ElementsAre("azureml-defaults"));
  EXPECT_THAT(Script(*wanted).conda_packages, ElementsAre("python=3.8.13", "numpy"));
  // As it is stored, it can be read again.
  const Json stored = EncodeInferenceConfig(wanted->image.config);
  EXPECT_TRUE(DecodeInferenceConfig(stored, "", SourceRule::kLocalFile)) << stored;
}

TEST(AzureProfileRequest, OptionsOfPipAreLeftToTheServer) {
  Json body = Body();
  body["environmentImageRequest"]["environment"]["python"]["condaDependencies"]["dependencies"] =
      Parsed(R"([{"pip": ["--find-links https://x.example/index.html", "-i y", "numpy"]}])");
  const auto wanted = DecodeAzureProfile(body);
  ASSERT_TRUE(wanted) << wanted.error().message();
  EXPECT_THAT(Script(*wanted).pip_packages, ElementsAre("numpy"));
}

TEST(AzureProfileRequest, NamesWhatIsNoPackage) {
  Json body = Body();
  Json& dependencies =
      body["environmentImageRequest"]["environment"]["python"]["condaDependencies"]["dependencies"];
  for (const std::string bad : {"a\n  - pip:", "a # b", "", "pip:", "'a'"}) {
    dependencies = Json::array({bad});
    EXPECT_THAT(Refusal(body), HasSubstr("/dependencies/0")) << bad;
    dependencies = Json::array({{{"pip", Json::array({"numpy", bad})}}});
    EXPECT_THAT(Refusal(body), HasSubstr("/dependencies/0/pip/1")) << bad;
  }
  dependencies = Json::array({{{"pip", Json::array({"x @ https://x.example/y.whl"})}}});
  EXPECT_THAT(Refusal(body), HasSubstr("/dependencies/0/pip/0"));
  for (const Json& bad : {Json(5), Json{{"npm", Json::array()}}, Json(nullptr)}) {
    dependencies = Json::array({bad});
    EXPECT_THAT(Refusal(body), HasSubstr("/dependencies/0")) << bad;
  }
}

TEST(AzureProfileRequest, AUserManagedEnvironmentInstallsNothing) {
  Json body = Body();
  body["environmentImageRequest"]["environment"]["python"]["userManagedDependencies"] = true;
  const auto wanted = DecodeAzureProfile(body);
  ASSERT_TRUE(wanted) << wanted.error().message();
  EXPECT_TRUE(Script(*wanted).pip_packages.empty() && Script(*wanted).conda_packages.empty());
}

TEST(AzureProfileRequest, ASingleScriptLiesWhereTheEnvironmentSays) {
  Json body = Body();
  Json& image = body["environmentImageRequest"];
  image["assets"] =
      Parsed(R"([{"id": "score.py", "url": "aml://artifact/LocalUpload/9c/score.py"}])");
  image["environment"]["environmentVariables"] = {{"AZUREML_ENTRY_SCRIPT", "score.py"}};
  const auto wanted = DecodeAzureProfile(body);
  ASSERT_TRUE(wanted) << wanted.error().message();
  EXPECT_EQ(wanted->image.assets[0].name, "score.py");
  EXPECT_EQ(Script(*wanted).source_directory, "");
}

TEST(AzureProfileRequest, NothingAskedIsNoCeiling) {
  Json body = Body();
  body.erase("containerResourceRequirements");
  const auto wanted = DecodeAzureProfile(body);
  EXPECT_FALSE(wanted->request.ceiling.cpu);
  EXPECT_FALSE(wanted->request.ceiling.memory);
  EXPECT_EQ(wanted->asked, Json::object());
  body["containerResourceRequirements"] = {{"cpu", 0.25}};
  EXPECT_EQ(DecodeAzureProfile(body)->request.ceiling.cpu, Cores(0.2));
  EXPECT_EQ(DecodeAzureProfile(body)->asked, Parsed(R"({"cpu": 0.25})"));
}

TEST(AzureProfileRequest, NamesWhatIsWrong) {
  Json body = Body();
  body["name"] = "a b";
  EXPECT_THAT(Refusal(body), HasSubstr("/name"));
  body = Body();
  body["environmentImageRequest"].erase("environment");
  EXPECT_FALSE(DecodeAzureProfile(body)->image.has_environment);
  body["environmentImageRequest"].erase("driverProgram");
  EXPECT_THAT(Refusal(body), HasSubstr("give the InferenceConfig an Environment"));
  body = Body();
  body["environmentImageRequest"]["environment"]["environmentVariables"] = {
      {"AZUREML_ENTRY_SCRIPT", "../score.py"}};
  EXPECT_THAT(Refusal(body), HasSubstr("AZUREML_ENTRY_SCRIPT"));
  body = Body();
  body["environmentImageRequest"]["environment"]["docker"]["baseDockerfile"] = "FROM x";
  EXPECT_THAT(Refusal(body), HasSubstr("baseDockerfile"));
  body = Body();
  body["environmentImageRequest"]["assets"][1]["url"] = "file:///etc/passwd";
  EXPECT_THAT(Refusal(body), HasSubstr("/assets/1/url"));
  EXPECT_NE(Refusal(Json::object()), "");
}

// ---- responses ----------------------------------------------------------------------------------

Profile Succeeded() {
  Profile profile;
  profile.id = "1188";
  profile.workspace = "s/g/w";
  profile.state = ProfileState::kSucceeded;
  profile.created = Timestamp(std::chrono::milliseconds(1'790'000'000'123));
  profile.finished = profile.created + std::chrono::seconds(60);
  profile.request.name = "unique_name";
  profile.request.model_ids = {"m:1"};
  Recommendation recommendation;
  recommendation.requested = {Cores(0.4), MiB(512)};
  recommendation.verified = true;
  profile.recommendation = recommendation;
  Measurements measurements;
  measurements.max_utilized_cpu = 0.35;
  measurements.max_utilized_memory = MiB(256);
  measurements.total_queries = 200;
  measurements.success_queries = 199;
  measurements.latency_p999_ms = 12.5;
  profile.measurements = measurements;
  return profile;
}

Json Encoded(const Profile& profile, const Json& asked = nullptr) {
  return EncodeAzureProfile(profile, {asked, "7023", "https://h/logs"});
}

TEST(AzureProfile, HasTheNineKeysAClientInsistsOn) {
  for (const Profile& profile : {Succeeded(), Profile()}) {
    const Json json = Encoded(profile);
    for (const char* key :
         {"name", "description", "id", "state", "inputDatasetId", "containerResourceRequirements",
          "requestedQueriesPerSecond", "createdTime", "modelIds"}) {
      EXPECT_TRUE(json.contains(key)) << key;
    }
    EXPECT_FALSE(json["createdTime"].is_null());
  }
}

TEST(AzureProfile, SpellsTheAnswerAsTheClientReadsIt) {
  const Json json = Encoded(Succeeded());
  EXPECT_EQ(json["state"], "Succeeded");
  EXPECT_EQ(json["recommendedCpu"], 0.4);
  EXPECT_EQ(json["recommendedMemoryInGB"], 0.5);
  EXPECT_EQ(json["maxUtilizedCpu"], 0.35);
  EXPECT_EQ(json["maxUtilizedMemoryInGB"], 0.25);
  EXPECT_EQ(json["totalQueries"], 200);
  EXPECT_EQ(json["successRate"], 99.5);
  EXPECT_EQ(json["latencyPercentile999InMs"], 12.5);
  EXPECT_EQ(json["latencyPercentile50InMs"], nullptr);
  EXPECT_EQ(json["error"], nullptr);
  EXPECT_EQ(json["inputDatasetId"], "7023");
}

TEST(AzureProfile, RequestedIsWhatWasAskedElseTheAnswer) {
  EXPECT_EQ(Encoded(Succeeded(), Json::object())["containerResourceRequirements"],
            Parsed(R"({"cpu": 0.4, "memoryInGB": 0.5})"));
  EXPECT_EQ(Encoded(Succeeded(), {{"cpu", 2.25}})["containerResourceRequirements"],
            Parsed(R"({"cpu": 2.25, "memoryInGB": 0.5})"));
  Profile waiting;
  EXPECT_EQ(Encoded(waiting, Json::object())["containerResourceRequirements"], nullptr);
  EXPECT_EQ(Encoded(waiting, {{"cpu", 2.25}})["containerResourceRequirements"],
            Parsed(R"({"cpu": 2.25, "memoryInGB": null})"));
}

TEST(AzureProfile, StatesAreTheClientsOwn) {
  const auto states = [](ProfileState state) {
    Profile profile;
    profile.state = state;
    return std::pair(Encoded(profile)["state"].get<std::string>(),
                     EncodeAzureOperation(profile, "u")["state"].get<std::string>());
  };
  EXPECT_THAT(states(ProfileState::kQueued), Pair("NotStarted", "NotStarted"));
  for (const ProfileState running : {ProfileState::kPreparing, ProfileState::kStarting,
                                     ProfileState::kProfiling, ProfileState::kVerifying}) {
    EXPECT_THAT(states(running), Pair("Running", "Running"));
  }
  EXPECT_THAT(states(ProfileState::kSucceeded), Pair("Succeeded", "Succeeded"));
  EXPECT_THAT(states(ProfileState::kFailed), Pair("Failed", "Failed"));
  EXPECT_THAT(states(ProfileState::kCanceled), Pair("Cancelled", "Cancelled"));
  EXPECT_THAT(states(ProfileState::kTimedOut), Pair("Failed", "TimedOut"));
}

TEST(AzureProfile, AFailedOneAlwaysSaysWhy) {
  Profile profile;
  profile.state = ProfileState::kFailed;
  EXPECT_FALSE(Encoded(profile)["error"]["message"].get<std::string>().empty());
  profile.state = ProfileState::kTimedOut;
  EXPECT_THAT(Encoded(profile)["error"]["message"].get<std::string>(), HasSubstr("budget"));
  profile.error = ProfileError{"OutOfMemory", "it was killed", {"give it more"}, "last line"};
  const Json json = Encoded(profile);
  EXPECT_EQ(json["error"]["code"], "OutOfMemory");
  EXPECT_EQ(json["error"]["message"], "it was killed; give it more");
  EXPECT_EQ(json["error"]["statusCode"], 400);
  EXPECT_EQ(json["errorLogsUri"], "https://h/logs");
  EXPECT_EQ(EncodeAzureOperation(profile, "u")["error"]["code"], "OutOfMemory");
}

TEST(AzureProfile, AReservationComesAsAnErrorOfASucceededOne) {
  Profile profile = Succeeded();
  profile.warnings = {{"fewDistinctRows", "few", ""}};
  EXPECT_EQ(Encoded(profile)["error"], nullptr);
  profile.warnings.push_back({"baseImageReplaced", "the base image was replaced", ""});
  EXPECT_EQ(Encoded(profile)["error"]["code"], "EnvironmentDiffers");
  EXPECT_EQ(Encoded(profile)["error"]["message"], "the base image was replaced");
  profile.recommendation->verified = false;
  EXPECT_EQ(Encoded(profile)["error"]["code"], "NotVerified");
  EXPECT_EQ(Encoded(profile)["warnings"].size(), 2u);
}

TEST(AzureProfile, HasAnErrorAndNoRecommendedFiguresWhereThereIsNoAnswer) {
  Profile profile = Succeeded();
  profile.recommendation.reset();
  profile.no_answer = NoAnswer{kObjectiveNotHeld, "no limit holds it", {}};
  const Json json = Encoded(profile);
  EXPECT_EQ(json["state"], "Succeeded");
  EXPECT_TRUE(json.at("recommendedCpu").is_null());
  EXPECT_TRUE(json.at("recommendedMemoryInGB").is_null());
  EXPECT_EQ(json["error"]["code"], "ObjectiveNotHeld");
  EXPECT_EQ(json["error"]["message"], "no limit holds it");
  EXPECT_EQ(json["totalQueries"], 200);
  EXPECT_EQ(EncodeAzureOperation(profile, "u")["state"], "Succeeded");
}

TEST(AzureOperation, HasWhatAClientWaitsBy) {
  const Json json = EncodeAzureOperation(Succeeded(), "https://h/profiles/1188");
  EXPECT_EQ(json["id"], "1188");
  EXPECT_EQ(json["operationType"], "Profile");
  EXPECT_FALSE(json["parentRequestId"].get<std::string>().empty());
  EXPECT_EQ(json["resourceLocation"], "https://h/profiles/1188");
  EXPECT_EQ(json["error"], nullptr);
}

}  // namespace
}  // namespace mlprof::server
