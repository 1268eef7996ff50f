#include "client/cli/azure/az_output.h"
#include "client/cli/commands/ml/profile_tags.h"
#include "tests/client/azure_document.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
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

TEST(ProfileFiguresTest, AreTheKeysThatTheServerGives) {
  const Json document = AzureProfileDocument();
  for (const auto& [key, value] : document.items()) EXPECT_TRUE(IsProfileFigure(key)) << key;
  EXPECT_FALSE(IsProfileFigure("requestedDisk"));
}

TEST(ProfileFiguresTest, KnowTheKeyThatMicrosoftsPageMisspells) {
  EXPECT_TRUE(IsProfileFigure("requestedMemoryInGb"));
  EXPECT_EQ(ProfileFigure(AzureProfileDocument(), "requestedMemoryInGb"), "0.5");
  EXPECT_EQ(ProfileFigure(AzureProfileDocument(), "latencyPercentile999InMs"), "");
}

}  // namespace
}  // namespace mlprof::client::cli
