#include "server/runtime/model_start.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using Words = std::vector<std::string>;

PreparedImage Image() {
  PreparedImage image;
  image.entrypoint = {"/entry"};
  image.command = {"a", "b"};
  image.environment = {{"PATH", "/image/bin"}, {"HOME", "/root"}, {"HF_HOME", "/baked"}};
  image.user = "1000";
  image.working_directory = "/app";
  return image;
}

InferenceConfig ImageForm(std::optional<Words> command, std::optional<Words> args) {
  ImageConfig service;
  service.command = std::move(command);
  service.args = std::move(args);
  InferenceConfig config;
  config.service = service;
  return config;
}

InferenceConfig ScriptForm() {
  EntryScriptConfig script;
  script.entry_script = "score.py";
  script.source_directory = "./src";
  InferenceConfig config;
  config.service = script;
  return config;
}

TEST(ModelCommandTest, FollowsKubernetes) {
  const PreparedImage image = Image();
  EXPECT_EQ(ModelCommand(image, ImageForm({}, {})), (Words{"/entry", "a", "b"}));
  EXPECT_EQ(ModelCommand(image, ImageForm(Words{"/x"}, {})), (Words{"/x"}));
  EXPECT_EQ(ModelCommand(image, ImageForm({}, Words{"c"})), (Words{"/entry", "c"}));
  EXPECT_EQ(ModelCommand(image, ImageForm(Words{"/x"}, Words{"c"})), (Words{"/x", "c"}));
  EXPECT_EQ(ModelCommand(image, ImageForm({}, Words{})), (Words{"/entry"}));
}

TEST(ModelCommandTest, ServesAnEntryScriptByTheInferenceServer) {
  EXPECT_EQ(ModelCommand(Image(), ScriptForm()),
            (Words{"/opt/mlprof/venv/bin/serve-entry-script", "--entry_script",
                   "/var/azureml-app/source/src/score.py", "--port", "5001"}));
}

TEST(ModelEnvironmentTest, LaterOnesWin) {
  InferenceConfig config = ImageForm({}, {});
  config.environment_variables = {{"A", "config"}};
  const Environment environment =
      ModelEnvironment(Image(), config, {{"A", "added"}, {"AZUREML_MODEL_DIR", "/m"}});
  EXPECT_EQ(environment.at("A"), "config");
  EXPECT_EQ(environment.at("AZUREML_MODEL_DIR"), "/m");
  EXPECT_EQ(environment.at("PATH"), "/image/bin");
  EXPECT_EQ(environment.at("HF_HOME"), "/baked");
}

TEST(ModelEnvironmentTest, PointsHomeAndCachesToWritablePlaces) {
  const Environment environment = ModelEnvironment(Image(), ImageForm({}, {}));
  EXPECT_EQ(environment.at("HOME"), "/home/mlprof");
  EXPECT_EQ(environment.at("XDG_CACHE_HOME"), "/home/mlprof/.cache");
  EXPECT_EQ(environment.at("TMPDIR"), "/tmp");
}

TEST(ModelEnvironmentTest, PutsTheEntryScriptsEnvironmentFirstInPath) {
  const Environment environment = ModelEnvironment(Image(), ScriptForm());
  EXPECT_EQ(environment.at("PATH"), "/opt/mlprof/venv/bin:/image/bin");
  EXPECT_EQ(environment.at("AML_APP_ROOT"), "/var/azureml-app/source/src");
}

TEST(StartForTest, TakesWhatTheImageAndTheConfigSay) {
  const agent_protocol::Start start = StartFor(Image(), ImageForm({}, {}));
  EXPECT_EQ(start.user, "1000");
  EXPECT_EQ(start.working_directory, "/app");
  EXPECT_EQ(start.port, 8080);
  EXPECT_EQ(start.headers.at("Content-Type"), "application/json");
}

TEST(StartForTest, LeavesAGivenContentTypeAlone) {
  InferenceConfig config = ImageForm({}, {});
  config.headers = {{"content-TYPE", "text/x"}};
  const agent_protocol::Start start = StartFor(Image(), config);
  EXPECT_EQ(start.headers.size(), 1u);
}

TEST(StartForTest, RunsAnEntryScriptWhereItsSourcesAre) {
  const agent_protocol::Start start = StartFor(Image(), ScriptForm());
  EXPECT_EQ(start.working_directory, "/var/azureml-app/source/src");
  EXPECT_EQ(start.port, 5001);
  EXPECT_EQ(start.path, "/score");
}

}  // namespace
}  // namespace mlprof::server
