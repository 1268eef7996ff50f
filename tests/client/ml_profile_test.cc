// `mlprof ml model profile` in Azure CLI v1's spelling.
#include "client/cli/text_file.h"
#include "tests/client/azure_document.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

class MlProfileTest : public CliTest {
 protected:
  MlProfileTest() {
    server_->On("GET /models/sentiment%3A1", 200, Text(EncodeModel(SomeModel())));
    server_->On("GET /datasets/requests", 200, Text(EncodeDataset(SomeDataset())));
    server_->On("POST /profiles", 202, Text(EncodeProfile(SomeProfile(ProfileState::kQueued))));
    server_->On("POST /sources", 201, R"({"id":"sha256:)" + std::string(64, 'b') + R"("})");
    server_->On("PATCH /models/sentiment%3A1", 200, Text(EncodeModel(SomeModel())));
    Ends(SucceededProfile(true), AzureProfileDocument());
  }
  void Ends(const Profile& profile, const Json& for_azure) {
    server_->On("GET /profiles/0123/events", [](const RestRequest&) {
      return FakeResponse{200, "", {}, {"id: 1\nevent: done\ndata: {}\n\n"}, false, false};
    });
    server_->On("GET /profiles/0123", 200, Text(EncodeProfile(profile)));
    server_->On("GET /profiles/0123/azure", 200, Text(for_azure));
  }
  Outcome Profiled(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"ml", "model",       "profile", "-n",      "p1",
                                          "-m", "sentiment:1", "--idi",   "requests"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
  Json Posted() { return ParseJson(server_->Asked("POST /profiles").back().body).value(); }
  Json Tagged() {
    return ParseJson(server_->Asked("PATCH /models/sentiment%3A1").back().body)
        .value()
        .at("addTags");
  }
};

TEST_F(MlProfileTest, ProfilesAsMicrosoftsPageHasIt) {
  folder_.Write("score.py", "def init(): pass");
  const auto config = folder_.Write("ic.json", R"({"entryScript":"score.py","environment":{
    "name":"e","environmentVariables":{"A":"1"},"docker":{"baseImage":"some/image"},
    "python":{"condaDependencies":{"dependencies":["python=3.8",{"pip":["numpy"]}]}}}})");
  const Outcome outcome =
      Run({"ml", "model", "profile", "-g", "rg", "-w", "ws", "--inference-config-file",
           config.string(), "-m", "sentiment:1", "--idi", "requests", "-n", "p1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(server_->Asked("POST /profiles").at(0).target, "/profiles?workspace=default%2Frg%2Fws");
  const Json posted = Posted();
  EXPECT_EQ(posted.at("name"), "p1");
  EXPECT_EQ(posted.at("modelIds"), Json::array({"sentiment:1"}));
  EXPECT_EQ(posted.at("inputDatasetId"), "requests:1");
  const Json& served = posted.at("inferenceConfig");
  EXPECT_EQ(served.at("entryScript"), "score.py");
  EXPECT_EQ(served.at("sourceId"), "sha256:" + std::string(64, 'b'));
  EXPECT_EQ(served.at("environment"),
            (Json{{"name", "e"},
                  {"docker", {{"baseImage", "some/image"}}},
                  {"python", {{"pipPackages", {"numpy"}}, {"condaPackages", {"python=3.8"}}}}}));
  EXPECT_EQ(served.at("environmentVariables"), (Json{{"A", "1"}}));
  ExpectGolden("cli/ml_profile.json", outcome.out);
  EXPECT_EQ(server_->Asked("GET /profiles/0123/azure").at(0).target,
            "/profiles/0123/azure?workspace=default%2Frg%2Fws");
}

TEST_F(MlProfileTest, SendsTheCeilingAndShowsWhatTheServerSaysOfIt) {
  Ends(SucceededProfile(true),
       AzureProfileDocument({{"requestedCpu", 3.5}, {"requestedMemoryInGB", 15.0}}));
  const Outcome outcome = Profiled({"--cc", "3.5", "--gb", "15", "--description", "why"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Posted().at("containerResourceRequirements"),
            (Json{{"cpu", 3.5}, {"memoryInGb", 15.0}}));
  EXPECT_EQ(Posted().at("description"), "why");
  const Json printed = ParseJson(outcome.out).value();
  EXPECT_EQ(printed.at("requestedCpu"), 3.5);
  EXPECT_EQ(printed.at("requestedMemoryInGB"), 15.0);
  EXPECT_EQ(printed.at("recommendedMemoryInGB"), 0.5);
}

TEST_F(MlProfileTest, PrintsOneFigureForAScript) {
  EXPECT_EQ(Profiled({"--query", "recommendedMemoryInGB", "-o", "tsv"}).out, "0.5\n");
}

TEST_F(MlProfileTest, TakesPartsOfTheConfigAsOptions) {
  folder_.Write("src/score.py", "def init(): pass");
  const std::string folder = (folder_.path() / "src").string();
  const std::string conda = folder_.Write("env.yml", "dependencies:\n").string();
  const Outcome outcome = Profiled({"--es", "score.py", "--sd", folder, "--cf", conda, "--bi",
                                    "image", "--ir", "r.example", "-e", "env", "--ev", "1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json served = Posted().at("inferenceConfig");
  EXPECT_EQ(served.at("entryScript"), "score.py");
  EXPECT_EQ(served.at("environment").at("docker").at("baseImage"), "r.example/image");
  EXPECT_EQ(served.at("environment").at("python").at("condaDependenciesFile"), "env.yml");
  EXPECT_EQ(outcome.err.substr(0, outcome.err.find('\n')),
            "mlprof: --environment-name and --environment-version mean nothing to mlprof and are "
            "ignored");
}

TEST_F(MlProfileTest, ReadsASavedEnvironment) {
  const std::string script = folder_.Write("score.py", "def init(): pass").string();
  folder_.Write("env/azureml_environment.json", R"({"name":"saved","docker":{"baseImage":"i"}})");
  folder_.Write("env/conda_dependencies.yml", "dependencies:\n");
  const Outcome outcome = Profiled({"--es", script, "--ed", (folder_.path() / "env").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json environment = Posted().at("inferenceConfig").at("environment");
  EXPECT_EQ(environment.at("name"), "saved");
  EXPECT_EQ(environment.at("python").at("condaDependenciesFile"), "conda_dependencies.yml");
}

TEST_F(MlProfileTest, TakesMlprofsOwnConfigToo) {
  const auto config = folder_.Write("own.json", R"({"image":"some/server","port":80})");
  EXPECT_EQ(Profiled({"--ic", config.string()}).status, 0);
  EXPECT_EQ(Posted().at("inferenceConfig").at("image"), "some/server");
  EXPECT_EQ(Profiled({"--ic", config.string(), "--bi", "x"}).status, 2);
  EXPECT_EQ(Profiled({}).status, 0);
  EXPECT_FALSE(Posted().contains("inferenceConfig"));
}

TEST_F(MlProfileTest, TagsTheModelsWithFiguresOfTheProfile) {
  Ends(SucceededProfile(true), AzureProfileDocument({{"requestedCpu", 0.4}}));
  const Outcome outcome = Profiled({"--add-tag", "requestedCpu", "--add-tag", "requestedMemoryInGb",
                                    "--add-tag", "by=me", "--add-tag", "latencyPercentile999InMs"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Tagged(),
            (Json{{"requestedCpu", "0.4"}, {"requestedMemoryInGb", "0.5"}, {"by", "me"}}));
  EXPECT_NE(outcome.err.find("no tag latencyPercentile999InMs"), std::string::npos) << outcome.err;
  EXPECT_EQ(Profiled({"--add-tag", "nosuch"}).status, 2);
}

TEST_F(MlProfileTest, TagsNothingWithoutAnAnswer) {
  Profile failed = SomeProfile(ProfileState::kFailed);
  failed.error = ProfileError{"OutOfMemory", "killed at 2 GiB", {}, ""};
  const std::string logs = "/profiles/0123/logs?workspace=default";
  Ends(failed, AzureProfileDocument({{"state", "Failed"},
                                     {"error", {{"message", "killed at 2 GiB"}}},
                                     {"errorLogsUri", logs}}));
  const Outcome outcome = Profiled({"--add-tag", "requestedCpu"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(server_->Asked("PATCH /models/sentiment%3A1").empty());
  const Json printed = ParseJson(outcome.out).value();
  EXPECT_EQ(printed.at("state"), "Failed");
  EXPECT_EQ(printed.at("error").at("message"), "killed at 2 GiB");
  EXPECT_EQ(printed.at("errorLogsUri"), "http://fake" + logs);
  EXPECT_NE(outcome.err.find("mlprof: killed at 2 GiB\n"), std::string::npos);
}

TEST_F(MlProfileTest, TagsAModelWithoutAProfileAsMicrosoftsPageHasIt) {
  const Outcome outcome =
      Run({"ml", "model", "profile", "-g", "rg", "-w", "ws", "--i", "sentiment:1", "--add-tag",
           "requestedCpu=1", "--add-tag", "requestedMemoryInGb=0.5"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Tagged(), (Json{{"requestedCpu", "1"}, {"requestedMemoryInGb", "0.5"}}));
  EXPECT_TRUE(server_->Asked("POST /profiles").empty());
  ExpectGolden("cli/ml_model.json", outcome.out);
}

TEST_F(MlProfileTest, PassesASavedDatasetIdOn) {
  const std::string id = "7023130a-1ce0-4a1e-879b-09cb739bb8f8";
  EXPECT_EQ(Profiled({"--input-dataset-id", id}).status, 0);
  EXPECT_EQ(Posted().at("inputDatasetId"), id);
  EXPECT_TRUE(server_->Asked("GET /datasets/" + id).empty());
}

TEST_F(MlProfileTest, TakesModelsFromFilesThatRegisterWrote) {
  const auto file = folder_.Write("model.json", R"({"modelId":"sentiment:1"})");
  const std::string result = (folder_.path() / "result.json").string();
  const Outcome outcome = Run({"ml", "model", "profile", "-n", "p1", "-f", file.string(), "--idi",
                               "requests", "-t", result});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Posted().at("modelIds"), Json::array({"sentiment:1"}));
  EXPECT_EQ(ReadTextFile(result).value(), outcome.out);
  const auto empty = folder_.Write("empty.json", "{}");
  EXPECT_EQ(Run({"ml", "model", "profile", "-n", "p", "-f", empty.string(), "--idi", "x"}).status,
            2);
}

TEST_F(MlProfileTest, RefusesWrongUseBeforeAnythingIsAsked) {
  EXPECT_EQ(Run({"ml", "model", "profile", "-m", "a", "--idi", "b"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "profile", "-n", "p", "--idi", "b"}).status, 2);
  EXPECT_EQ(Run({"ml", "model", "profile", "-n", "p", "-m", "a"}).status, 2);
  EXPECT_EQ(Profiled({"--cc", "0"}).status, 2);
  EXPECT_EQ(Profiled({"--cf", "env.yml"}).status, 2);
  EXPECT_EQ(Profiled({"--es", "nosuch.py"}).status, 2);
  EXPECT_EQ(Profiled({"--ic", "nosuch.json"}).status, 2);
  EXPECT_EQ(connected_to_, "");
}

TEST_F(MlProfileTest, ExitsWithSixWhereThereIsNoAnswer) {
  Ends(ProfileWithoutAnswer(), AzureProfileDocument());
  const Outcome outcome = Profiled({"--add-tag", "requestedCpu"});
  EXPECT_EQ(outcome.status, 6);
  EXPECT_NE(outcome.err.find("(exit status 6)"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("no model is tagged"), std::string::npos) << outcome.err;
}

TEST_F(MlProfileTest, RefusesACeilingBelowTheLeastLimits) {
  EXPECT_EQ(Profiled({"--gb", "0.016"}).status, 2);
  EXPECT_EQ(Profiled({"--cc", "0.05"}).status, 2);
  EXPECT_EQ(connected_to_, "");
}

TEST_F(MlProfileTest, ExitsWithFiveWhereTheAnswerIsNotVerified) {
  Ends(SucceededProfile(false), AzureProfileDocument());
  const Outcome outcome = Profiled({});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_NE(outcome.err.find("could not be verified"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::client::cli
