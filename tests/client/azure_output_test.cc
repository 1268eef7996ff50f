#include "client/cli/azure/az_output.h"
#include "client/cli/azure/azure_model_json.h"
#include "client/cli/azure/azure_profile_json.h"
#include "tests/client/cli_fixture.h"
#include "tests/client/golden.h"

namespace mlprof::cli {
namespace {

TEST(AzureOutputTest, WritesTsvAsPythonDoes) {
  const Json value = {{{"a", true}, {"b", nullptr}, {"c", {1, 2}}, {"d", {{"x", 1}}}, {"e", 0.5}}};
  EXPECT_EQ(AzureFormatted(OutputFormat::kTsv, value), "True\tNone\t2\t\t0.5\n");
  EXPECT_EQ(AzureFormatted(OutputFormat::kTsv, Json({"x", "y"})), "x\ny\n");
  EXPECT_EQ(AzureFormatted(OutputFormat::kTsv, 0.5), "0.5\n");
}

TEST(AzureOutputTest, MakesATableOfWhatIsNoListOrObject) {
  const Json rows = {{{"id", "a:1"}, {"name", "a"}, {"tags", {{"k", "v"}}}, {"run", nullptr}},
                     {{"id", "long:12"}, {"name", "long"}, {"version", 12}}};
  EXPECT_EQ(AzureFormatted(OutputFormat::kTable, rows),
            "Name  Version\n"
            "----  -------\n"
            "a\n"
            "long  12\n");
  EXPECT_EQ(AzureFormatted(OutputFormat::kTable, Json::array()), "");
  EXPECT_EQ(AzureFormatted(OutputFormat::kTable, "x"), "Result\n------\nx\n");
}

TEST(AzureOutputTest, PrintsNothingForNullAndForNone) {
  EXPECT_EQ(AzureFormatted(OutputFormat::kJson, Json()), "");
  EXPECT_EQ(AzureFormatted(OutputFormat::kNone, Json({{"a", 1}})), "");
}

TEST(AzureModelJsonTest, HasEveryKeyOfAzures) {
  ExpectGolden("cli/ml_model.json", DumpJsonIndented(AzureModelJson(SomeModel())) + "\n");
}

TEST(AzureModelJsonTest, TakesAzuresFactsOutOfTheProperties) {
  Model model = SomeModel();
  model.properties = {{"azureml.framework", "ScikitLearn"},
                      {"azureml.frameworkVersion", "1.5"},
                      {"azureml.cpu", "0.5"},
                      {"own", "1"}};
  const Json json = AzureModelJson(model);
  EXPECT_EQ(json.at("framework"), "ScikitLearn");
  EXPECT_EQ(json.at("frameworkVersion"), "1.5");
  EXPECT_EQ(json.at("cpu"), 0.5);
  EXPECT_EQ(json.at("memoryInGB"), "");
  EXPECT_EQ(json.at("properties"), (Json{{"own", "1"}}));
}

TEST(AzureProfileJsonTest, HasEveryKeyOfASerializedProfile) {
  Ceiling asked;
  asked.cpu = Cores(3.5);
  ExpectGolden(
      "cli/ml_profile.json",
      DumpJsonIndented(AzureProfileJson(SucceededProfile(true), asked, "http://s/logs")) + "\n");
  ExpectGolden(
      "cli/ml_profile_running.json",
      DumpJsonIndented(AzureProfileJson(SomeProfile(ProfileState::kProfiling), {}, "")) + "\n");
}

TEST(AzureProfileJsonTest, CallsTheAnswerRequestedWhereNothingWasAsked) {
  const Json json = AzureProfileJson(SucceededProfile(true), {}, "");
  EXPECT_EQ(json.at("requestedCpu"), 0.4);
  EXPECT_EQ(json.at("requestedMemoryInGB"), 0.5);
  EXPECT_EQ(json.at("recommendedCpu"), 0.4);
}

TEST(AzureProfileJsonTest, FailsWithAMessageWhateverTheEnd) {
  Profile failed = SomeProfile(ProfileState::kFailed);
  failed.error = ProfileError{"OutOfMemory", "killed at 2 GiB", {"raise --memory-in-gb"}, ""};
  const Json json = AzureProfileJson(failed, {}, "http://s/logs");
  EXPECT_EQ(json.at("state"), "Failed");
  EXPECT_EQ(json.at("error"),
            (Json{{"code", "OutOfMemory"},
                  {"statusCode", 400},
                  {"message", "killed at 2 GiB"},
                  {"details", {{{"code", "Advice"}, {"message", "raise --memory-in-gb"}}}}}));
  EXPECT_EQ(json.at("errorLogsUri"), "http://s/logs");
  for (const auto& [state, name] : {std::pair(ProfileState::kCanceled, "Cancelled"),
                                    std::pair(ProfileState::kTimedOut, "Failed")}) {
    const Json ended = AzureProfileJson(SomeProfile(state), {}, "");
    EXPECT_EQ(ended.at("state"), name);
    EXPECT_FALSE(ended.at("error").at("message").get<std::string>().empty());
  }
}

TEST(AzureProfileJsonTest, SaysWhereTheEnvironmentDiffers) {
  Profile profile = SucceededProfile(true);
  profile.warnings = {{"baseImageReplaced", "another image", "name one"}, {"noisyHost", "x", "y"}};
  const Json error = AzureProfileJson(profile, {}, "").at("error");
  EXPECT_EQ(error.at("code"), "EnvironmentDiffers");
  EXPECT_EQ(error.at("message"), "another image");
}

TEST(AzureProfileJsonTest, SaysWhereAnAnswerIsNotVerified) {
  const Json json = AzureProfileJson(SucceededProfile(false), {}, "");
  EXPECT_EQ(json.at("state"), "Succeeded");
  EXPECT_EQ(json.at("error").at("code"), "NotVerified");
}

TEST(AzureProfileJsonTest, KnowsTheKeyThatMicrosoftsPageMisspells) {
  EXPECT_TRUE(IsProfileFigure("requestedMemoryInGb"));
  EXPECT_FALSE(IsProfileFigure("requestedDisk"));
  const Json json = AzureProfileJson(SucceededProfile(true), {}, "");
  EXPECT_EQ(ProfileFigure(json, "requestedMemoryInGb"), "0.5");
  EXPECT_EQ(ProfileFigure(json, "latencyPercentile999InMs"), "");
}

}  // namespace
}  // namespace mlprof::cli
