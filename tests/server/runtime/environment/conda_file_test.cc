#include "server/runtime/environment/requirements.h"

#include <gtest/gtest.h>

namespace mlprof::server::environment {
namespace {

TEST(CondaFileTest, ReadsPythonAndThePipPart) {
  const auto conda = ParseCondaFile(R"(# an environment
name: project_environment
channels:
  - conda-forge   # a channel
dependencies:
  - python=3.8.5
  - pip
  - numpy=1.21
  - pip:
      - azureml-defaults
      - "scikit-learn==1.5.2"
  - conda-forge::lightgbm
variables:
  - dependencies
)");
  ASSERT_TRUE(conda) << conda.error().message();
  EXPECT_EQ(conda->python_version, "3.8.5");
  EXPECT_EQ(conda->pip_packages,
            (std::vector<std::string>{"azureml-defaults", "scikit-learn==1.5.2"}));
  EXPECT_EQ(conda->conda_packages,
            (std::vector<std::string>{"numpy=1.21", "conda-forge::lightgbm"}));
}

TEST(CondaFileTest, TakesListsThatAreNotIndented) {
  const auto conda = ParseCondaFile("dependencies:\n- python>=3.9\n- pip:\n  - numpy\n- xz\n");
  ASSERT_TRUE(conda) << conda.error().message();
  EXPECT_EQ(conda->python_version, "3.9");
  EXPECT_EQ(conda->pip_packages, std::vector<std::string>{"numpy"});
  EXPECT_EQ(conda->conda_packages, std::vector<std::string>{"xz"});
}

TEST(CondaFileTest, RefusesWhatItCannotReadOrInstall) {
  for (const char* text :
       {"dependencies: numpy\n", "dependencies:\n\t- numpy\n",
        "dependencies:\n  - pip:\n    - -r requirements.txt\n",
        "dependencies:\n  - pip:\n    - git+https://x/y\n", "dependencies:\n  numpy: 1\n",
        "- numpy\n", "dependencies:\n  - pip: numpy\n", "dependencies:\n  - npm:\n    - x\n",
        "dependencies:\n  -\n", "dependencies:\n  - a\ndependencies:\n  - b\n",
        "dependencies:\n  - a\n---\ndependencies:\n  - b\n"}) {
    EXPECT_FALSE(ParseCondaFile(text)) << text;
  }
}

TEST(CondaFileTest, TakesWhatElseYamlWritesAsAList) {
  const auto conda = ParseCondaFile(
      "\xEF\xBB\xBF---\r\ndependencies: [python=3.11, {pip: ['numpy<2; python_version < "
      "\"3.12\"']}]\r\n");
  ASSERT_TRUE(conda) << conda.error().message();
  EXPECT_EQ(conda->python_version, "3.11");
  EXPECT_EQ(conda->pip_packages, std::vector<std::string>{"numpy<2; python_version < \"3.12\""});
  for (const char* empty :
       {"", "# nothing\n", "name: x\n", "dependencies:\n", "dependencies:\n  - pip:\n"}) {
    EXPECT_TRUE(ParseCondaFile(empty)) << empty;
  }
}

TEST(CondaFileTest, NamesThePlaceItRefuses) {
  const auto option = ParseCondaFile("dependencies:\n  - xz\n  - pip:\n    - a\n    - -r x.txt\n");
  ASSERT_FALSE(option);
  EXPECT_EQ(option.error().message().rfind("/dependencies/1/pip/1: '-r x.txt' is not", 0), 0u)
      << option.error().message();
  const auto tab = ParseCondaFile("name: x\ndependencies:\n\t- numpy\n");
  ASSERT_FALSE(tab);
  EXPECT_NE(tab.error().message().find("line 3"), std::string::npos) << tab.error().message();
}

// Ten lines that would be a billion packages, depth without end, and the like.
TEST(CondaFileTest, GrowsNoLargerThanItIs) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\n";
  }
  EXPECT_FALSE(ParseCondaFile(bomb + "dependencies: *a29\n"));
  EXPECT_FALSE(ParseCondaFile("dependencies: " + std::string(100'000, '[')));
  std::string nested = "dependencies:\n";
  for (int i = 0; i < 50'000; ++i) nested += "- ";
  EXPECT_FALSE(ParseCondaFile(nested));
  const auto large = ParseCondaFile("name: " + std::string(300 << 10, 'x'));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof::server::environment
