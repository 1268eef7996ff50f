#include "server/runtime/docker/create_container.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "common/os/remove_tree.h"
#include "tests/common/os/deep_tree.h"
#include "tests/fakes/soon.h"
namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;

using fakes::Soon;

class ScratchTest : public ::testing::Test {
 protected:
  ScratchTest() {
    char name[] = "/tmp/scratch-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~ScratchTest() override { EXPECT_TRUE(RemoveTree(folder_, Soon())); }
  static mode_t ModeOf(const fs::path& path) {
    struct stat status {};
    ::lstat(path.c_str(), &status);
    return status.st_mode & 07777;
  }

  fs::path folder_;
};

TEST_F(ScratchTest, MakesFoldersThatEveryUidMayWrite) {
  ASSERT_TRUE(MakeScratch({{folder_ / "c/0", "/tmp", false}}));
  EXPECT_EQ(ModeOf(folder_ / "c/0"), 01777u);
}

TEST_F(ScratchTest, OpensWhatTheImageHadWithoutFollowingLinks) {
  const fs::path outside = folder_ / "outside";
  std::ofstream(outside) << "x";
  ::chmod(outside.c_str(), 0600);
  const fs::path inside = folder_ / "0";
  fs::create_directories(inside / "d");
  ::chmod((inside / "d").c_str(), 0755);
  fs::create_symlink(outside, inside / "link");
  ASSERT_TRUE(OpenScratch({{inside, "/data", true}}, Soon()));
  EXPECT_EQ(ModeOf(inside / "d"), 0777u);
  EXPECT_EQ(ModeOf(outside), 0600u);
}

TEST_F(ScratchTest, OpensATreeThatNoPathCanName) {
  const fs::path inside = folder_ / "0";
  fs::create_directory(inside);
  const UniqueFd innermost = fakes::MakeDeepTree(inside, 3'000);
  const UniqueFd file(::openat(innermost.get(), "file", O_CREAT | O_WRONLY, 0600));
  ASSERT_TRUE(OpenScratch({{inside, "/data", true}}, Soon()));
  struct stat status {};
  ASSERT_EQ(::fstatat(innermost.get(), "file", &status, 0), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666u);
}

}  // namespace
}  // namespace mlprof::server::docker
