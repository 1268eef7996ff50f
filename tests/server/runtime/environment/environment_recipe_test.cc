#include "server/runtime/environment/environment_recipe.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "tests/fakes/folder_input.h"

namespace mlprof::server::environment {
namespace {

namespace fs = std::filesystem;

class EnvironmentRecipeTest : public ::testing::Test {
 protected:
  EnvironmentRecipeTest() {
    char name[] = "/tmp/recipe-test.XXXXXX";
    source_ = ::mkdtemp(name);
    reader_ = fakes::FolderReader(source_);
  }
  ~EnvironmentRecipeTest() override { fs::remove_all(source_); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(source_ / name) << text;
  }

  fs::path source_;
  std::shared_ptr<const ContentReader> reader_;
};

TEST_F(EnvironmentRecipeTest, GathersPackagesOfAllThreePlaces) {
  Write("requirements.txt", "b==2\n");
  Write("env.yml", "dependencies:\n  - python=3.8\n  - xz\n  - pip:\n    - c\n");
  EntryScriptConfig config;
  config.pip_packages = {"a"};
  config.requirements_file = "requirements.txt";
  config.conda_dependencies_file = "env.yml";
  const auto recipe = RecipeOf(config, reader_.get());
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
  const auto recipe = RecipeOf(config, reader_.get());
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
    EXPECT_FALSE(RecipeOf(config, reader_.get())) << name;
  }
  fs::create_symlink("/etc/passwd", source_ / "link");
  EntryScriptConfig config;
  config.requirements_file = "link";
  EXPECT_FALSE(RecipeOf(config, reader_.get()));
}

TEST_F(EnvironmentRecipeTest, HashesEverythingThatShapesTheImage) {
  const Recipe one{{"a", "b"}, "", {}};
  const Recipe other{{"a b"}, "", {}};
  EXPECT_EQ(RecipeHash(one, "base"), RecipeHash(one, "base"));
  EXPECT_EQ(RecipeHash(one, "base").size(), 16u);
  EXPECT_NE(RecipeHash(one, "base"), RecipeHash(other, "base"));
  EXPECT_NE(RecipeHash(one, "base"), RecipeHash(one, "base2"));
}

// Environments that were made before are found by it.
TEST_F(EnvironmentRecipeTest, TheSameInputsKeepTheirTag) {
  Write("requirements.txt", "b==2\n");
  Write("env.yml", "dependencies:\n  - python=3.8\n  - pip:\n    - c\n");
  EntryScriptConfig config;
  config.pip_packages = {"a"};
  config.requirements_file = "requirements.txt";
  config.conda_dependencies_file = "env.yml";
  EXPECT_EQ(RecipeHash(RecipeOf(config, reader_.get()).value(), "sha256:base"), "2cf3f4478eedbbe0");
}

TEST_F(EnvironmentRecipeTest, WarnsOfAnotherPythonOnly) {
  EXPECT_TRUE(PythonWarnings("", "3.11.2").empty());
  EXPECT_TRUE(PythonWarnings("3.11", "3.11.2").empty());
  EXPECT_TRUE(PythonWarnings("3", "3.11.2").empty());
  EXPECT_EQ(PythonWarnings("3.1", "3.11.2").front().code, "pythonVersionDiffers");
}

}  // namespace
}  // namespace mlprof::server::environment
