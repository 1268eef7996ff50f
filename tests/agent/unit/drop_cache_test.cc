#include "agent/page_cache/drop_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace mlprof::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kSmallest = 256 << 10;  // that is dropped
constexpr std::size_t kLarge = 300 << 10;

class DropCacheTest : public ::testing::Test {
 protected:
  DropCacheTest() {
    std::string path = (fs::temp_directory_path() / "mlprof-agent-XXXXXX").string();
    root_ = ::mkdtemp(path.data());
  }
  ~DropCacheTest() override { fs::remove_all(root_); }
  void Write(const std::string& name, std::size_t size) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << std::string(size, 'x');
  }
  fs::path root_;
};

TEST_F(DropCacheTest, TakesLargeFilesAtAnyDepth) {
  Write("weights.bin", kSmallest);
  Write("a/b/c/weights.bin", kLarge);
  Write("small.bin", kSmallest - 1);
  Write("a/large.txt", kLarge);
  const Dropped dropped = DropCache({root_});
  EXPECT_EQ(dropped.files, 2);
  EXPECT_TRUE(dropped.in_time);
}

TEST_F(DropCacheTest, OddTreesAreWalkedThroughToTheirEnd) {
  Write("deep/weights.bin", kLarge);
  fs::create_symlink(root_, root_ / "loop");
  fs::create_symlink(root_ / "deep/weights.bin", root_ / "link.bin");
  fs::create_symlink("/nowhere", root_ / "dangling");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  Write("closed/weights.bin", kLarge);
  fs::permissions(root_ / "closed/weights.bin", fs::perms::none);
  const int expected = ::geteuid() == 0 ? 2 : 1;
  EXPECT_EQ(DropCache({root_, root_ / "no-such-folder", "", root_ / "pipe"}).files, expected);
}

TEST_F(DropCacheTest, OtherFileSystemsAndTheKernelsFoldersAreLeftOut) {
  EXPECT_EQ(DropCache({"/proc", "/sys", "/dev"}).files, 0);
}

TEST_F(DropCacheTest, EndsWhenItsTimeIsOver) {
  Write("weights.bin", kLarge);
  const Dropped dropped = DropCache({root_}, 0ms);
  EXPECT_EQ(dropped.files, 0);
  EXPECT_FALSE(dropped.in_time);
}

TEST(SmallByNameTest, IsWhatNoOneKeepsWeightsIn) {
  EXPECT_TRUE(SmallByName("__init__.py"));
  EXPECT_TRUE(SmallByName("__init__.cpython-312.pyc"));
  EXPECT_FALSE(SmallByName("model.bin"));
  EXPECT_FALSE(SmallByName("libtorch.so.2"));
  EXPECT_FALSE(SmallByName("weights"));
}

}  // namespace
}  // namespace mlprof::agent
