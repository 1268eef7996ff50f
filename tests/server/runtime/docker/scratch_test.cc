#include "server/runtime/docker/scratch.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <future>

namespace mlprof::docker {
namespace {

namespace fs = std::filesystem;

class ScratchTest : public ::testing::Test {
 protected:
  ScratchTest() {
    char name[] = "/tmp/scratch-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~ScratchTest() override { fs::remove_all(folder_); }
  static mode_t ModeOf(const fs::path& path) {
    struct stat status {};
    ::lstat(path.c_str(), &status);
    return status.st_mode & 07777;
  }

  fs::path folder_;
};

TEST_F(ScratchTest, MakesFoldersThatEveryUidMayWrite) {
  const fs::path scratch = folder_ / "c";
  ASSERT_TRUE(MakeScratch(scratch, {{scratch / "0", "/tmp", false}}));
  EXPECT_EQ(ModeOf(scratch / "0"), 01777u);
  EXPECT_EQ(ModeOf(scratch), 0700u);
  RemoveScratch(scratch);
  EXPECT_FALSE(fs::exists(scratch));
}

TEST_F(ScratchTest, OpensWhatTheImageHadWithoutFollowingLinks) {
  const fs::path outside = folder_ / "outside";
  std::ofstream(outside) << "x";
  ::chmod(outside.c_str(), 0600);
  const fs::path inside = folder_ / "0";
  fs::create_directories(inside / "d");
  ::chmod((inside / "d").c_str(), 0755);
  fs::create_symlink(outside, inside / "link");
  OpenScratch({{inside, "/data", true}});
  EXPECT_EQ(ModeOf(inside / "d"), 0777u);
  EXPECT_EQ(ModeOf(outside), 0600u);
}

TEST_F(ScratchTest, CountsBytesOnDisk) {
  std::ofstream(folder_ / "f") << std::string(100'000, 'x');
  EXPECT_GE(DiskUse(folder_), Bytes(100'000));
  EXPECT_LT(DiskUse(folder_), Bytes(200'000));
}

TEST_F(ScratchTest, TellsWhenTheLimitIsPassed) {
  std::ofstream(folder_ / "f") << std::string(100'000, 'x');
  std::promise<void> full;
  const ScratchWatch watch(
      {folder_}, KiB(8), [&] { full.set_value(); }, std::chrono::milliseconds(1));
  EXPECT_EQ(full.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

}  // namespace
}  // namespace mlprof::docker
