#include "agent/copy_tree/copy_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>

#include "common/os/remove_tree.h"
#include "tests/common/os/deep_tree.h"

namespace mlprof::agent {
namespace {

namespace fs = std::filesystem;

constexpr CopyBounds kAmple{1 << 30, 10'000};

class CopyTreeTest : public ::testing::Test {
 protected:
  CopyTreeTest() {
    char name[] = "/tmp/copy-test.XXXXXX";
    top_ = ::mkdtemp(name);
    from_ = top_ / "from";
    to_ = top_ / "made/to";
    fs::create_directory(from_);
  }
  ~CopyTreeTest() override {
    EXPECT_TRUE(RemoveTree(top_, Deadline::After(std::chrono::seconds(60))));
  }
  struct stat StatusOf(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status;
  }
  static std::string ContentOf(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path top_;
  fs::path from_;
  fs::path to_;
};

TEST_F(CopyTreeTest, CopiesFilesFoldersAndLinksWithRightsAndTimes) {
  fs::create_directories(from_ / "lib/a");
  std::ofstream(from_ / "lib/a/x.py") << "code";
  ::chmod((from_ / "lib/a/x.py").c_str(), 0640);
  ::chmod((from_ / "lib/a").c_str(), 0750);
  fs::create_symlink("a/x.py", from_ / "lib/link");
  const timespec times[2] = {{1'000'000'000, 5}, {1'100'000'000, 7}};
  for (const char* name : {"lib/a/x.py", "lib/a"}) {
    ASSERT_EQ(::utimensat(AT_FDCWD, (from_ / name).c_str(), times, 0), 0);
  }
  const auto report = CopyTree(from_, to_, kAmple);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->entries, 4);
  EXPECT_EQ(report->left_out, 0);
  EXPECT_EQ(ContentOf(to_ / "lib/a/x.py"), "code");
  EXPECT_EQ(fs::read_symlink(to_ / "lib/link"), "a/x.py");
  EXPECT_EQ(StatusOf(to_ / "lib/a/x.py").st_mode & 07777, 0640u);
  EXPECT_EQ(StatusOf(to_ / "lib/a").st_mode & 07777, 0750u);
  // Compiled modules are used while their source's time is the one they were made of.
  EXPECT_EQ(StatusOf(to_ / "lib/a/x.py").st_mtim.tv_sec, 1'100'000'000);
  EXPECT_EQ(StatusOf(to_ / "lib/a/x.py").st_mtim.tv_nsec, 7);
  EXPECT_EQ(StatusOf(to_ / "lib/a").st_mtim.tv_sec, 1'100'000'000);
}

TEST_F(CopyTreeTest, GivesNobodySetuidOrSetgidBits) {
  std::ofstream(from_ / "su") << "x";
  ::chmod((from_ / "su").c_str(), 06755);
  fs::create_directory(from_ / "d");
  ::chmod((from_ / "d").c_str(), 03777);
  ASSERT_TRUE(CopyTree(from_, to_, kAmple));
  EXPECT_EQ(StatusOf(to_ / "su").st_mode & 07777, 0755u);
  EXPECT_EQ(StatusOf(to_ / "d").st_mode & 07777, 0777u);
}

TEST_F(CopyTreeTest, LeavesOutDevicesPipesSocketsAndMarksOfRemoval) {
  ASSERT_EQ(::mknod((from_ / "null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  ASSERT_EQ(::mkfifo((from_ / "pipe").c_str(), 0666), 0);
  ASSERT_EQ(::mknod((from_ / "socket").c_str(), S_IFSOCK | 0666, 0), 0);
  std::ofstream(from_ / ".wh.bin") << "";
  std::ofstream(from_ / ".wh..wh..opq") << "";
  std::ofstream(from_ / "kept") << "";
  const auto report = CopyTree(from_, to_, kAmple);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->left_out, 5);
  EXPECT_EQ(std::distance(fs::directory_iterator(to_), {}), 1);
}

TEST_F(CopyTreeTest, FollowsNoLinkOutOfEitherTree) {
  fs::create_directory(top_ / "outside");
  std::ofstream(top_ / "outside/secret") << "secret";
  fs::create_symlink(top_ / "outside", from_ / "folder");
  fs::create_symlink(top_ / "outside/secret", from_ / "file");
  // What lies in the target already leads elsewhere.
  fs::create_directories(to_);
  fs::create_directory(from_ / "d");
  std::ofstream(from_ / "d/secret") << "overwritten";
  std::ofstream(from_ / "f") << "overwritten";
  fs::create_symlink(top_ / "outside/secret", to_ / "f");
  const auto copied = CopyTree(from_, to_, kAmple);
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_TRUE(fs::is_symlink(to_ / "folder"));
  EXPECT_TRUE(fs::is_symlink(to_ / "file"));
  EXPECT_FALSE(fs::is_symlink(to_ / "f"));
  EXPECT_EQ(ContentOf(top_ / "outside/secret"), "secret");

  fs::remove_all(to_);
  fs::create_directories(to_);
  fs::create_symlink(top_ / "outside", to_ / "d");
  EXPECT_FALSE(CopyTree(from_, to_, kAmple));
  EXPECT_EQ(ContentOf(top_ / "outside/secret"), "secret");
}

TEST_F(CopyTreeTest, HolesStayHolesButCountInFull) {
  const UniqueFd file(::open((from_ / "f").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  ASSERT_EQ(::ftruncate(file.get(), 100 << 20), 0);
  ASSERT_EQ(::pwrite(file.get(), "middle", 6, 50 << 20), 6);
  const auto report = CopyTree(from_, to_, kAmple);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->bytes, 100 << 20);
  const struct stat made = StatusOf(to_ / "f");
  EXPECT_EQ(made.st_size, 100 << 20);
  EXPECT_LT(made.st_blocks * 512, 1 << 20);
  EXPECT_EQ(ContentOf(to_ / "f").substr(50 << 20, 6), "middle");
  const auto refused = CopyTree(from_, top_ / "other", {(100 << 20) - 1, 10});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
}

TEST_F(CopyTreeTest, HardLinksCountInFull) {
  std::ofstream(from_ / "0") << std::string(1000, 'x');
  for (int i = 1; i < 10; ++i) fs::create_hard_link(from_ / "0", from_ / std::to_string(i));
  EXPECT_TRUE(CopyTree(from_, to_, {10'000, 10}));
  EXPECT_FALSE(CopyTree(from_, top_ / "other", {9'999, 10}));
}

TEST_F(CopyTreeTest, MoreEntriesOrDeeperFoldersThanAnImageTakesAreRefused) {
  for (int i = 0; i < 5; ++i) std::ofstream(from_ / std::to_string(i));
  EXPECT_TRUE(CopyTree(from_, to_, {100, 5}));
  EXPECT_FALSE(CopyTree(from_, top_ / "other", {100, 4}));
  ASSERT_TRUE(fakes::MakeDeepTree(from_, 100));
  const auto deep = CopyTree(from_, top_ / "deep", kAmple);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof::agent
