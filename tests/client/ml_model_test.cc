// `mlprof ml model register|list|show|update|delete|download` in Azure CLI v1's spelling.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "client/cli/text_file.h"
#include "client/include/mlprof/pack_tar.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

class MlModelTest : public CliTest {
 protected:
  MlModelTest() {
    Model other = SomeModel(7);
    other.name = "other";
    other.id = "other:7";
    other.tags = {{"team", "vision"}, {"stage", "prod"}};
    other.properties = {{"kind", "cnn"},
                        {"azureml.runId", "run7"},
                        {"azureml.datasets", R"([{"name":"training","id":"d1"}])"}};
    server_->On(
        "GET /models", 200,
        Text({{"value", {EncodeModel(SomeModel(2)), EncodeModel(SomeModel(1)), EncodeModel(other)}},
              {"nextCursor", nullptr}}));
    server_->On("GET /models/sentiment%3A1", 200, Text(EncodeModel(SomeModel())));
    server_->On("GET /models/sentiment", 200, Text(EncodeModel(SomeModel(2))));
    server_->On("POST /models", 201, Text(EncodeModel(SomeModel())));
    server_->On("PATCH /models/sentiment%3A1", 200, Text(EncodeModel(SomeModel())));
  }
  Json Patched() {
    return ParseJson(server_->Asked("PATCH /models/sentiment%3A1").back().body).value();
  }
  std::string Ids(std::vector<std::string> more) {
    more.insert(more.begin(), {"ml", "model", "list", "--query", "[].id", "-o", "tsv"});
    return Run(more).out;
  }
};

TEST_F(MlModelTest, RegistersIntoTheWorkspaceThatIsNamed) {
  const auto file = folder_.Write("model.pkl", "weights");
  const Outcome outcome =
      Run({"ml", "model", "register", "--name", "sentiment", "--model-path", file.string(),
           "--description", "words", "--tag", "team=nlp", "--tag", "stage=test", "--resource-group",
           "rg", "--workspace-name", "ws", "--subscription-id", "sub"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(server_->Asked("POST /models").at(0).target,
            "/models?name=sentiment&description=words&tag=stage%3Dtest&tag=team%3Dnlp"
            "&workspace=sub%2Frg%2Fws");
  ExpectGolden("cli/ml_model.json", outcome.out);
}

TEST_F(MlModelTest, KeepsWhatMlprofHasNoFieldForAsProperties) {
  const auto file = folder_.Write("model.pkl", "weights");
  const Outcome outcome = Run({"ml",          "model",
                               "register",    "-n",
                               "sentiment",   "-p",
                               file.string(), "--property",
                               "k=v",         "--experiment-name",
                               "e",           "-r",
                               "run7",        "--model-framework",
                               "ScikitLearn", "--model-framework-version",
                               "1.5",         "--cc",
                               "0.5",         "--gb",
                               "1",           "--gc",
                               "0",           "--sample-input-dataset-id",
                               "in"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Patched(), (Json{{"addProperties",
                              {{"azureml.cpu", "0.5"},
                               {"azureml.experimentName", "e"},
                               {"azureml.framework", "ScikitLearn"},
                               {"azureml.frameworkVersion", "1.5"},
                               {"azureml.gpu", "0"},
                               {"azureml.memoryInGB", "1"},
                               {"azureml.runId", "run7"},
                               {"azureml.sampleInputDatasetId", "in"},
                               {"k", "v"}}}}));
  EXPECT_EQ(Run({"ml", "model", "register", "-n", "x", "-p", file.string(), "--cc", "many"}).status,
            2);
}

TEST_F(MlModelTest, SaysInOneLineWhatItIgnores) {
  const auto file = folder_.Write("model.pkl", "weights");
  const Outcome outcome =
      Run({"ml", "model", "register", "-n", "sentiment", "--asset-path", file.string(),
           "--experiment-name", "e", "-r", "run", "-f", "run.json", "--path", ".", "-v"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "mlprof: --run-metadata-file and --path mean nothing to mlprof and are ignored\n");
}

TEST_F(MlModelTest, HandsAModelOnInAFile) {
  const auto file = folder_.Write("model.pkl", "weights");
  const std::string metadata = (folder_.path() / "model.json").string();
  EXPECT_EQ(Run({"ml", "model", "register", "-n", "sentiment", "-p", file.string(), "-t", metadata,
                 "-g", "rg", "-w", "ws"})
                .status,
            0);
  EXPECT_EQ(ParseJson(ReadTextFile(metadata).value()).value(), (Json{{"modelId", "sentiment:1"},
                                                                     {"subscriptionId", "default"},
                                                                     {"resourceGroupName", "rg"},
                                                                     {"workspaceName", "ws"}}));
}

TEST_F(MlModelTest, RefusesWrongUseBeforeAnythingIsAsked) {
  EXPECT_EQ(Run({"ml", "model", "register", "-n", "x"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "register", "-p", "."}).status, 2);
  const Outcome run = Run({"ml", "model", "register", "-n", "x", "--asset-path", "outputs/m.pkl"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("keeps no experiment runs"), std::string::npos);
  EXPECT_EQ(Run({"ml", "model", "list", "-g", "rg"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "list", "--query", "[?x]"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "show"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "update", "--add-tag", "a=b"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "update", "-i", "sentiment:1"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "delete"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "download", "-i", "x"}).status, 2);
  EXPECT_EQ(connected_to_, "");
}

TEST_F(MlModelTest, ListsInEveryFormat) {
  ExpectGolden("cli/ml_models.json", Run({"ml", "model", "list"}).out);
  ExpectGolden("cli/ml_models.json", Run({"ml", "model", "list", "-o", "jsonc"}).out);
  ExpectGolden("cli/ml_models.table", Run({"ml", "model", "list", "-o", "table"}).out);
  ExpectGolden("cli/ml_models.tsv", Run({"ml", "model", "list", "-o", "tsv"}).out);
  ExpectGolden("cli/ml_models.yaml", Run({"ml", "model", "list", "-o", "yaml"}).out);
  EXPECT_EQ(Run({"ml", "model", "list", "-o", "none"}).out, "");
}

TEST_F(MlModelTest, ListsWhatEveryFilterLetsThrough) {
  EXPECT_EQ(Ids({}), "sentiment:2\nsentiment:1\nother:7\n");
  EXPECT_EQ(Ids({"--latest"}), "sentiment:2\nother:7\n");
  EXPECT_EQ(Ids({"--tag", "team"}), "sentiment:2\nsentiment:1\nother:7\n");
  EXPECT_EQ(Ids({"--tag", "team=vision", "--tag", "stage"}), "other:7\n");
  EXPECT_EQ(Ids({"--property", "kind=cnn"}), "other:7\n");
  EXPECT_EQ(Ids({"--property", "kind=rnn"}), "");
  EXPECT_EQ(Ids({"--run-id", "run7"}), "other:7\n");
  EXPECT_EQ(Ids({"--run-id", "run8"}), "");
  EXPECT_EQ(Ids({"--dataset-id", "d1"}), "other:7\n");
  EXPECT_EQ(Ids({"--dataset-id", "d"}), "");
  Run({"ml", "model", "list", "-n", "sentiment", "-l"});
  EXPECT_EQ(server_->Asked("GET /models").back().target, "/models?name=sentiment");
}

TEST_F(MlModelTest, ShowsByIdAndByName) {
  ExpectGolden("cli/ml_model.json", Run({"ml", "model", "show", "-i", "sentiment:1"}).out);
  ExpectGolden("cli/ml_model.json",
               Run({"ml", "model", "show", "--model-name", "sentiment", "--version", "1"}).out);
  EXPECT_EQ(Run({"ml", "model", "show", "-n", "sentiment", "--query", "id", "-o", "tsv"}).out,
            "sentiment:2\n");
  EXPECT_EQ(Run({"ml", "model", "show", "-n", "sentiment", "--query", "tags.nosuch"}).out, "");
  EXPECT_EQ(Run({"ml", "model", "show", "-i", "nosuch:1"}).status, 3);
}

TEST_F(MlModelTest, UpdatesTagsAndProperties) {
  const Outcome outcome = Run({"ml", "model", "update", "--model-id", "sentiment:1", "--add-tag",
                               "a=1", "--add-tag", "b=2", "--remove-tag", "c", "--add-property",
                               "p=q", "--description", "new", "--cc", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Patched(), (Json{{"addTags", {{"a", "1"}, {"b", "2"}}},
                             {"removeTags", {"c"}},
                             {"addProperties", {{"azureml.cpu", "2"}, {"p", "q"}}},
                             {"description", "new"}}));
  ExpectGolden("cli/ml_model.json", outcome.out);
}

TEST_F(MlModelTest, DeletesAndPrintsNothing) {
  server_->On("DELETE /models/sentiment%3A1", 204, "");
  const Outcome outcome = Run({"ml", "model", "delete", "-i", "sentiment:1"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
}

TEST_F(MlModelTest, SaysWhichVersionANameMeantThatIsDeleted) {
  server_->On("GET /models/sentiment", 200, Text(EncodeModel(SomeModel(3))));
  server_->On("DELETE /models/sentiment%3A3", 204, "");
  const Outcome outcome = Run({"ml", "model", "delete", "-i", "sentiment"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "mlprof: deleted model sentiment:3\n");
}

TEST_F(MlModelTest, DownloadsIntoAFolder) {
  const auto tar = folder_.path() / "model.tar";
  ASSERT_TRUE(PackTar(folder_.Write("model.pkl", "weights"), TarLayout::kUnderBaseName, tar));
  server_->On("GET /models/sentiment%3A1/content", 200, ReadTextFile(tar).value());
  const std::string target = (folder_.path() / "down").string();
  const std::vector<std::string> command = {"ml",          "model", "download", "-i",
                                            "sentiment:1", "-t",    target};
  EXPECT_EQ(Run(command).status, 0);
  EXPECT_EQ(ReadTextFile(folder_.path() / "down/model.pkl").value(), "weights");
}

// The mode in a tar is whatever its maker liked, and root's tar restores it.
TEST_F(MlModelTest, DownloadsNoProgramThatRunsAsItsOwner) {
  const auto program = folder_.Write("tool", "#!/bin/sh\n");
  ASSERT_EQ(chmod(program.c_str(), 06777), 0);
  const auto tar = folder_.path() / "model.tar";
  ASSERT_EQ(
      std::system(("tar -C " + folder_.path().string() + " -cf " + tar.string() + " tool").c_str()),
      0);
  server_->On("GET /models/sentiment%3A1/content", 200, ReadTextFile(tar).value());
  ASSERT_EQ(Run({"ml", "model", "download", "-i", "sentiment:1", "-t",
                 (folder_.path() / "down").string()})
                .status,
            0);
  struct stat facts {};
  ASSERT_EQ(stat((folder_.path() / "down/tool").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07022, 0u);
  EXPECT_NE(facts.st_mode & 0100, 0u);
}

TEST_F(CliTest, RefusesOtherCommandsOfAzureWithOneSentence) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"login"},
                                                    {"account", "set", "-s", "x"},
                                                    {"configure", "--defaults", "group=g"},
                                                    {"extension", "add", "-n", "azure-cli-ml"},
                                                    {"group", "create", "-n", "g"},
                                                    {"storage", "account", "list"},
                                                    {"ml", "folder", "attach", "-w", "ws"},
                                                    {"ml", "workspace", "show", "-w", "ws"},
                                                    {"ml", "service", "update", "-n", "s"},
                                                    {"ml", "model", "deploy", "-n", "s"}}) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.err.find("unknown command"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace mlprof::client::cli
