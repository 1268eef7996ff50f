#include "server/runtime/docker/package_spec.h"

#include <gtest/gtest.h>

namespace mlprof::docker {
namespace {

TEST(PackageSpecTest, TakesNamesExtrasVersionsAndMarkers) {
  for (const char* spec :
       {"numpy", "scikit-learn==1.5.2", "uvicorn[standard]", "a [b, c] >= 1.0, < 2.0", "pkg~=1.4.2",
        "pkg!=1.*", "pkg===1.0+local", "numpy<2; python_version < \"3.12\"", "zope.interface"}) {
    EXPECT_TRUE(CheckPackageSpec(spec)) << spec;
  }
}

TEST(PackageSpecTest, RefusesEverythingElse) {
  for (const char* spec : {"",
                           "-r other.txt",
                           "--index-url=http://x",
                           "-e .",
                           "pkg @ https://x/y.whl",
                           "git+https://x/y",
                           "https://x/y.whl",
                           "./local",
                           "/abs",
                           "../up",
                           "a b",
                           "pkg==",
                           "pkg=1",
                           "pkg==1.0\nother",
                           "pkg;",
                           "pkg; $(touch /x)",
                           "`id`",
                           "pkg==1.0 --hash=sha256:0",
                           "p\xc3\xa4kg",
                           "pkg>1,",
                           "[x]",
                           "pkg[",
                           "_x",
                           "a|b",
                           "a&&b",
                           "a==1;python_version\n>3"}) {
    EXPECT_FALSE(CheckPackageSpec(spec)) << spec;
  }
}

TEST(RequirementsTest, SkipsCommentsAndBlankLines) {
  const auto packages = ParseRequirements("# head\n\nnumpy==1.26 # why\r\n  scipy  \n#x");
  ASSERT_TRUE(packages);
  EXPECT_EQ(*packages, (std::vector<std::string>{"numpy==1.26", "scipy"}));
}

TEST(RequirementsTest, NamesTheLineItRefuses) {
  const auto packages = ParseRequirements("numpy\n--extra-index-url https://x\n");
  ASSERT_FALSE(packages);
  EXPECT_EQ(packages.error().message().rfind("line 2: ", 0), 0u) << packages.error().message();
}

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
       {"dependencies: [numpy]\n", "dependencies:\n\t- numpy\n",
        "dependencies:\n  - pip:\n    - -r requirements.txt\n",
        "dependencies:\n  - pip:\n    - git+https://x/y\n", "dependencies:\n  numpy: 1\n"}) {
    EXPECT_FALSE(ParseCondaFile(text)) << text;
  }
}

}  // namespace
}  // namespace mlprof::docker
