#include "common/os/reserve_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <fstream>

namespace mlprof {
namespace {

namespace fs = std::filesystem;

// A disk of its own, of 8 MiB.
class ReserveFileTest : public ::testing::Test {
 protected:
  ReserveFileTest() {
    char name[] = "/tmp/reserve-test.XXXXXX";
    disk_ = ::mkdtemp(name);
    mounted_ = ::mount("none", disk_.c_str(), "tmpfs", 0, "size=8m") == 0;
  }
  ~ReserveFileTest() override {
    ::umount2(disk_.c_str(), MNT_DETACH);
    fs::remove(disk_);
  }
  void SetUp() override { ASSERT_TRUE(mounted_) << "this test mounts: run it as root"; }
  /// The bytes of a file that grew as long as there was room.
  std::uintmax_t Fill(const char* name) {
    std::ofstream file(disk_ / name, std::ios::binary);
    const std::string piece(4096, 'x');
    while (file.write(piece.data(), 4096).flush()) {
    }
    std::error_code error;
    return fs::file_size(disk_ / name, error);
  }

  fs::path disk_;
  bool mounted_;
};

TEST_F(ReserveFileTest, GivesRoomWhereThereIsNoneAndTakesItAgain) {
  ReserveFile reserve(disk_ / "reserve", MiB(1));
  ASSERT_TRUE(reserve.Restore());
  Fill("flood");
  EXPECT_EQ(Fill("record"), 0u);
  EXPECT_TRUE(reserve.Release());
  EXPECT_FALSE(reserve.Release());
  EXPECT_GE(Fill("record"), 1'000'000u);
  EXPECT_FALSE(reserve.Restore());
  fs::remove(disk_ / "flood");
  EXPECT_TRUE(reserve.Restore());
  EXPECT_TRUE(reserve.Restore());
  EXPECT_TRUE(reserve.Release());
}

TEST_F(ReserveFileTest, TakesNotTheLastBlocks) {
  ReserveFile reserve(disk_ / "reserve", MiB(5));
  const Status taken = reserve.Restore();
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), ErrorCode::kUnavailable);
}

TEST_F(ReserveFileTest, IsAHundredthOfASmallDisk) {
  EXPECT_EQ(ReserveFor(disk_), Bytes((8 << 20) / 100));
}

}  // namespace
}  // namespace mlprof
