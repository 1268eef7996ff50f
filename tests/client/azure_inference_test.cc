// Azure's inference config, from its JSON to the files that are uploaded.
#include "client/cli/azure/azure_inference.h"

#include <gtest/gtest.h>

#include "client/cli/azure/azure_source.h"
#include "tests/client/temporary_folder.h"

namespace mlprof::client::cli {
namespace {

Json Parsed(const std::string& text) { return ParseJson(text).value(); }

TEST(AzureInferenceTest, ReadsAnEnvironmentAsTheSdkWritesIt) {
  const auto read = ReadAzureInference(Parsed(R"({
    "entryScript": "score.py", "sourceDirectory": null,
    "environment": {"name": "myenv", "version": null,
      "environmentVariables": {"A": "1"},
      "python": {"userManagedDependencies": false, "interpreterPath": "python",
        "condaDependenciesFile": null, "baseCondaEnvironment": null,
        "condaDependencies": {"name": "project_environment", "channels": ["conda-forge"],
          "dependencies": ["python=3.8.13", {"pip": ["azureml-defaults", "numpy; python_version<'4'"]},
                           "scikit-learn"]}},
      "docker": {"baseImage": "some/image:1", "baseDockerfile": null, "sharedVolumes": true},
      "spark": {}, "r": null, "inferencingStackVersion": null}})"));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->entry_script, "score.py");
  EXPECT_EQ(read->source_directory, "");
  EXPECT_EQ(read->environment_name, "myenv");
  EXPECT_EQ(read->base_image, "some/image:1");
  EXPECT_EQ(read->pip_packages,
            (std::vector<std::string>{"azureml-defaults", "numpy; python_version<'4'"}));
  EXPECT_EQ(read->conda_packages, (std::vector<std::string>{"python=3.8.13", "scikit-learn"}));
  EXPECT_EQ(read->environment_variables.at("A"), "1");
  EXPECT_TRUE(read->notes.empty());
}

TEST(AzureInferenceTest, ReadsTheOlderForm) {
  const auto read = ReadAzureInference(Parsed(R"({
    "entryScript": "score.py", "runtime": "python", "condaFile": "env.yml",
    "extraDockerfileSteps": null, "sourceDirectory": "src", "enableGpu": false,
    "baseImage": "registry.example/team/image", "baseImageRegistry": "registry.example"})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->conda_file, "env.yml");
  EXPECT_EQ(read->source_directory, "src");
  EXPECT_EQ(read->base_image, "registry.example/team/image");
}

TEST(AzureInferenceTest, PutsTheRegistryInFrontOfAnImage) {
  EXPECT_EQ(WithRegistry("image:1", "registry.example"), "registry.example/image:1");
  EXPECT_EQ(WithRegistry("image:1", ""), "image:1");
  EXPECT_EQ(WithRegistry("", "registry.example"), "");
  const auto read = ReadAzureInference(Parsed(
      R"({"environment":{"docker":{"baseImage":"i","baseImageRegistry":{"address":"r.example"}}}})"));
  EXPECT_EQ(read->base_image, "r.example/i");
}

TEST(AzureInferenceTest, InstallsNothingWhereTheUserDoes) {
  const auto read = ReadAzureInference(Parsed(R"({"environment":{"python":{
    "userManagedDependencies": true, "condaDependencies": {"dependencies": [{"pip": ["x"]}]}}}})"));
  EXPECT_TRUE(read->pip_packages.empty());
}

TEST(AzureInferenceTest, SaysWhatIsLeftOut) {
  const auto named = ReadAzureInference(Parsed(R"({"environment":{"name":"e","version":"1"}})"));
  ASSERT_EQ(named->notes.size(), 1U);
  EXPECT_NE(named->notes[0].find("environment e is only named"), std::string::npos);
  const auto docker =
      ReadAzureInference(Parsed(R"({"environment":{"docker":{"baseDockerfile":"FROM x"}},
                                    "extraDockerfileSteps":"steps","enableGpu":true})"));
  EXPECT_EQ(docker->notes.size(), 3U);
}

TEST(AzureInferenceTest, NamesWhatHasTheWrongType) {
  const auto wrong = ReadAzureInference(Parsed(
      R"({"entryScript":5,"environment":{"python":{"condaDependencies":{"dependencies":[{"npm":[]}]}}}})"));
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().fields().size(), 2U);
  EXPECT_EQ(wrong.error().fields()[0].pointer, "/entryScript");
  EXPECT_EQ(wrong.error().fields()[1].pointer,
            "/environment/python/condaDependencies/dependencies");
}

TEST(AzureInferenceTest, TellsMlprofsOwnForm) {
  EXPECT_TRUE(IsNativeInference(Parsed(R"({"image":"x","port":80})")));
  EXPECT_TRUE(IsNativeInference(Parsed(R"({"entryScript":"s","requestTimeoutSeconds":5})")));
  EXPECT_TRUE(IsNativeInference(
      Parsed(R"({"entryScript":"s","environment":{"python":{"pipPackages":["x"]}}})")));
  EXPECT_TRUE(IsNativeInference(
      Parsed(R"({"entryScript":"s","environment":{"python":{"condaPackages":["x"]}}})")));
  EXPECT_FALSE(IsNativeInference(
      Parsed(R"({"entryScript":"s","environment":{"python":{"condaDependenciesFile":"e"}}})")));
}

class AzureSourceTest : public testing::Test {
 protected:
  EntryScriptConfig Script(const LocalInferenceConfig& local) {
    return std::get<EntryScriptConfig>(local.config.service);
  }
  TemporaryFolder folder_;
};

TEST_F(AzureSourceTest, TakesTheEntryScriptAloneWhereNoFolderIsNamed) {
  const auto script = folder_.Write("job/score.py", "");
  folder_.Write("job/secret.txt", "");
  AzureInference azure;
  azure.entry_script = "score.py";
  azure.conda_packages = {"python=3.8"};
  const auto local = LocalInferenceOf(azure, {folder_.path() / "job"});
  ASSERT_TRUE(local) << local.error().message();
  EXPECT_EQ(local->source_folder, script);
  EXPECT_EQ(Script(*local).entry_script, "score.py");
  EXPECT_EQ(Script(*local).conda_packages, std::vector<std::string>{"python=3.8"});
  EXPECT_TRUE(local->extra.empty());
}

TEST_F(AzureSourceTest, LooksInTheSourceFolderFirst) {
  folder_.Write("score.py", "outside");
  folder_.Write("src/deep/score.py", "");
  folder_.Write("src/env.yml", "");
  AzureInference azure;
  azure.entry_script = "deep/score.py";
  azure.source_directory = "src";
  azure.conda_file = "env.yml";
  const auto local = LocalInferenceOf(azure, {"/nosuch", folder_.path()});
  ASSERT_TRUE(local) << local.error().message();
  EXPECT_EQ(local->source_folder, folder_.path() / "src");
  EXPECT_EQ(Script(*local).entry_script, "deep/score.py");
  EXPECT_EQ(Script(*local).conda_dependencies_file, "env.yml");
  EXPECT_TRUE(local->extra.empty());
}

TEST_F(AzureSourceTest, BringsACondaFileFromOutside) {
  folder_.Write("src/score.py", "");
  const auto conda = folder_.Write("env.yml", "");
  AzureInference azure;
  azure.entry_script = "src/score.py";  // as the SDK writes it into AZUREML_ENTRY_SCRIPT
  azure.source_directory = "src";
  azure.conda_file = "env.yml";
  const auto local = LocalInferenceOf(azure, {folder_.path()});
  ASSERT_TRUE(local) << local.error().message();
  EXPECT_EQ(Script(*local).entry_script, "score.py");
  ASSERT_EQ(local->extra.size(), 1U);
  EXPECT_EQ(local->extra[0].file, conda);
}

TEST_F(AzureSourceTest, NamesWhatIsNotThere) {
  AzureInference azure;
  azure.entry_script = "score.py";
  EXPECT_EQ(LocalInferenceOf(azure, {folder_.path()}).error().message(),
            "there is no entry script score.py");
  azure.source_directory = "src";
  EXPECT_EQ(LocalInferenceOf(azure, {folder_.path()}).error().message(),
            "there is no source directory src");
  folder_.Write("src/other.py", "");
  folder_.Write("score.py", "");
  EXPECT_NE(LocalInferenceOf(azure, {folder_.path()}).error().message().find("lies outside"),
            std::string::npos);
}

}  // namespace
}  // namespace mlprof::client::cli
