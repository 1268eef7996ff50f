#include "server/runtime/environment/requirements.h"

#include <gtest/gtest.h>

namespace mlprof::server::environment {
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

}  // namespace
}  // namespace mlprof::server::environment
