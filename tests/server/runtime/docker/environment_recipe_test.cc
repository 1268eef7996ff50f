#include "server/runtime/docker/environment_recipe.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "server/runtime/docker/preparation_spec.h"

namespace mlprof::docker {
namespace {

namespace fs = std::filesystem;

class EnvironmentRecipeTest : public ::testing::Test {
 protected:
  EnvironmentRecipeTest() {
    char name[] = "/tmp/recipe-test.XXXXXX";
    source_ = ::mkdtemp(name);
  }
  ~EnvironmentRecipeTest() override { fs::remove_all(source_); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(source_ / name) << text;
  }

  fs::path source_;
};

TEST_F(EnvironmentRecipeTest, GathersPackagesOfAllThreePlaces) {
  Write("requirements.txt", "b==2\n");
  Write("env.yml", "dependencies:\n  - python=3.8\n  - xz\n  - pip:\n    - c\n");
  EntryScriptConfig config;
  config.pip_packages = {"a"};
  config.requirements_file = "requirements.txt";
  config.conda_dependencies_file = "env.yml";
  const auto recipe = RecipeOf(config, source_);
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(recipe->packages,
            (std::vector<std::string>{"azureml-inference-server-http>=1,<2", "a", "b==2", "c"}));
  EXPECT_EQ(recipe->conda_python, "3.8");
  ASSERT_EQ(recipe->warnings.size(), 1u);
  EXPECT_EQ(recipe->warnings[0].code, "condaPackagesIgnored");
}

TEST_F(EnvironmentRecipeTest, TellsOfCondaPackagesThatAreListed) {
  EntryScriptConfig config;
  config.conda_packages = {"python=3.8.13", "numpy", "xz=5"};
  const auto recipe = RecipeOf(config, source_);
  ASSERT_TRUE(recipe) << recipe.error().message();
  EXPECT_EQ(recipe->packages.size(), 1u);
  EXPECT_EQ(recipe->conda_python, "3.8.13");
  ASSERT_EQ(recipe->warnings.size(), 1u);
  EXPECT_NE(recipe->warnings[0].message.find("left out: numpy, xz=5"), std::string::npos);
}

TEST_F(EnvironmentRecipeTest, ReadsNothingOutsideOfTheSource) {
  for (const char* name : {"../x", "/etc/passwd", "missing.txt"}) {
    EntryScriptConfig config;
    config.requirements_file = name;
    EXPECT_FALSE(RecipeOf(config, source_)) << name;
  }
  fs::create_symlink("/etc/passwd", source_ / "link");
  EntryScriptConfig config;
  config.requirements_file = "link";
  EXPECT_FALSE(RecipeOf(config, source_));
}

TEST_F(EnvironmentRecipeTest, HashesEverythingThatShapesTheImage) {
  const EnvironmentRecipe one{{"a", "b"}, "", {}};
  const EnvironmentRecipe other{{"a b"}, "", {}};
  EXPECT_EQ(RecipeHash(one, "base"), RecipeHash(one, "base"));
  EXPECT_EQ(RecipeHash(one, "base").size(), 16u);
  EXPECT_NE(RecipeHash(one, "base"), RecipeHash(other, "base"));
  EXPECT_NE(RecipeHash(one, "base"), RecipeHash(one, "base2"));
}

TEST_F(EnvironmentRecipeTest, WarnsOfAnotherPythonOnly) {
  EXPECT_TRUE(PythonWarnings("", "3.11.2").empty());
  EXPECT_TRUE(PythonWarnings("3.11", "3.11.2").empty());
  EXPECT_TRUE(PythonWarnings("3", "3.11.2").empty());
  EXPECT_EQ(PythonWarnings("3.1", "3.11.2").front().code, "pythonVersionDiffers");
}

TEST_F(EnvironmentRecipeTest, HandsPackagesToTheScriptAsArgumentsOnly) {
  Preparation preparation;
  preparation.packages = {"numpy; python_version < \"4\""};
  const Json spec = PreparationSpec(preparation);
  EXPECT_EQ(spec["Cmd"][1], kPreparationScript);
  EXPECT_EQ(spec["Cmd"][3], "numpy; python_version < \"4\"");
  EXPECT_FALSE(spec.contains("Env"));
  EXPECT_EQ(spec["HostConfig"]["CapDrop"], Json::array({"ALL"}));
  EXPECT_FALSE(spec["HostConfig"].contains("CapAdd"));
}

TEST_F(EnvironmentRecipeTest, PackageCodeWritesToTheBoundedFoldersAlone) {
  Preparation preparation;
  preparation.folders = PreparationFolders({}, "/data/scratch/p/volume").value();
  const Json host = PreparationSpec(preparation)["HostConfig"];
  EXPECT_EQ(host["ReadonlyRootfs"], true);
  std::map<std::string, std::string> writable;
  for (const Json& mount : host["Mounts"]) {
    if (!mount.contains("ReadOnly")) {
      writable[mount["Target"].get<std::string>()] = mount["Source"].get<std::string>();
    }
  }
  EXPECT_EQ(writable, (std::map<std::string, std::string>{
                          {"/tmp", "/data/scratch/p/volume/tmp"},
                          {"/opt/mlprof/venv", "/data/scratch/p/volume/venv"}}));
}

TEST_F(EnvironmentRecipeTest, NothingOfTheImageRunsWhereAnEnvironmentIsKept) {
  Keeping keeping;
  keeping.agent_binary = "/opt/mlprof-agent";
  keeping.environment = "/data/scratch/p/volume/venv";
  keeping.bytes = GiB(20);
  keeping.files = 1'000;
  const Json spec = KeepingSpec(keeping);
  EXPECT_EQ(spec["Entrypoint"], Json::array({"/run/mlprof/agent"}));
  EXPECT_EQ(spec["Cmd"], Json::array({"--copy-tree", "/run/mlprof/environment", "/opt/mlprof/venv",
                                      "21474836480", "1000"}));
  const Json host = spec["HostConfig"];
  EXPECT_EQ(host["NetworkMode"], "none");
  EXPECT_EQ(host["CapDrop"], Json::array({"ALL"}));
  for (const Json& mount : host["Mounts"]) EXPECT_EQ(mount["ReadOnly"], true) << mount;
}

}  // namespace
}  // namespace mlprof::docker
