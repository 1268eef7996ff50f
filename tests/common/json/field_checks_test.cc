#include "common/json/field_checks.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

void ExpectFine(TextCheck check, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_EQ(check(text), "") << text;
}

void ExpectRefused(TextCheck check, std::initializer_list<const char*> texts) {
  for (const char* text : texts) EXPECT_NE(check(text), "") << text;
}

TEST(FieldChecksTest, TakesNamesOfTheGrammarOnly) {
  ExpectFine(CheckName, {"a", "9-x_y.z"});
  ExpectRefused(CheckName, {"", "-a", ".a", "a b", "a:1", "a/b", "\xC3\xA4"});
  EXPECT_EQ(CheckName(std::string(255, 'a')), "");
  EXPECT_NE(CheckName(std::string(256, 'a')), "");
}

TEST(FieldChecksTest, TakesIdsWithAndWithoutVersion) {
  ExpectFine(CheckId, {"m", "m:1", "m:12"});
  ExpectRefused(CheckId, {"m:", "m:0", "m:01", "m:x", ":1", "m:1:2", ""});
}

TEST(FieldChecksTest, TakesWorkspacesOfOneOrThreeNames) {
  ExpectFine(CheckWorkspace, {"default", "sub/group/name"});
  ExpectRefused(CheckWorkspace, {"", "a/b", "a/b/c/d", "a//c", "/a", "a/b/"});
}

TEST(FieldChecksTest, KeepsPathsInsideTheirSource) {
  ExpectFine(CheckFileInside, {"score.py", "src/score.py", "..x/y"});
  ExpectRefused(CheckFileInside,
                {"", "/score.py", "../score.py", "a/../b", "a/..", "src/", "a\nb"});
  ExpectFine(CheckFolderInside, {"", ".", "./src", "src"});
  ExpectRefused(CheckFolderInside, {"/src", "src/../..", ".."});
}

TEST(FieldChecksTest, TakesAbsolutePathsThatCanBeMounted) {
  ExpectFine(CheckMountPoint, {"/models", "/var/cache/x"});
  ExpectRefused(CheckMountPoint, {"", "/", "//", "/.", "models", "/a/../b", "/a:b", "/a,b"});
}

TEST(FieldChecksTest, TakesHeadersThatCannotChangeTheFraming) {
  ExpectFine(CheckHeaderName, {"X-Key", "Authorization"});
  ExpectRefused(CheckHeaderName,
                {"", "a b", "a:b", "Host", "content-length", "Transfer-Encoding", "Content-Type"});
  ExpectFine(CheckHeaderValue, {"", "some text"});
  ExpectRefused(CheckHeaderValue, {"a\r\nX: y", "a\nb", "\x7f"});
}

TEST(FieldChecksTest, TakesEnvironmentVariablesWithoutControlCharacters) {
  ExpectFine(CheckEnvironmentName, {"OMP_NUM_THREADS", "_x"});
  ExpectRefused(CheckEnvironmentName, {"", "1A", "A=B", "A B", "A\n"});
  ExpectRefused(CheckEnvironmentValue, {"a\nb"});
}

TEST(FieldChecksTest, ReadsImageReferencesAsDockerDoes) {
  ExpectFine(CheckImageReference,
             {"python", "python:3.11-slim", "a/b/c:1", "registry.example:5000/team/image:tag",
              "localhost/x", "mlprof/base",
              "x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"});
  ExpectRefused(CheckImageReference, {"", "Python", "a b", "-x", "a:", "a:b:c/", "a@sha256:12",
                                      "http://x/y", "a//b", "host:port/x", "a\n"});
}

TEST(FieldChecksTest, TakesPipRequirementsByNameOnly) {
  ExpectFine(CheckPipPackage, {"numpy", "scikit-learn==1.5.2", "uvicorn[standard]>=0.2,<1",
                               "x>=1; python_version<'3.12'"});
  ExpectRefused(CheckPipPackage, {"", "-r other.txt", "--index-url=x", "numpy --pre",
                                  "x @ https://host/x.whl", "./local", "git+ssh://x", "a\nb"});
}

}  // namespace
}  // namespace mlprof
