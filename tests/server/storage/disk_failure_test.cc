// Disks that do not take what they are told to keep.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "common/os/reserve_file.h"
#include "tests/fakes/failing_sync.h"
#include "tests/server/storage/temporary_directory.h"
#include "tests/server/storage/words_database.h"

namespace mlprof::server {
namespace {

using DiskFailureTest = WordsDatabaseTest;

TEST_F(DiskFailureTest, WritesNoMoreAfterACommitThatDidNotReachTheDisk) {
  const auto open = Open();
  {
    const FailingSync failing("mlprof.db-wal");
    EXPECT_FALSE(Insert(**open, "damson"));
  }
  EXPECT_FALSE((*open)->Health());
  EXPECT_FALSE(Insert(**open, "elder"));
}

// After an fsync that failed, the next one tells of nothing: the pages may never have been written,
// and the -wal is the only good copy of them.
TEST_F(DiskFailureTest, KeepsTheWalWhenACheckpointDidNotReachTheDisk) {
  {
    const auto open = Open();
    const FailingSync failing("mlprof.db");
    for (int i = 0; (*open)->Health() && i < 3; ++i) {
      static_cast<void>((*open)->Write([](Connection& connection) {
        return connection.Execute(
            "CREATE TABLE IF NOT EXISTS big (x BLOB); INSERT INTO big VALUES (zeroblob(8000000))");
      }));
    }
    EXPECT_FALSE((*open)->Health());
    EXPECT_FALSE(Insert(**open, "damson"));
  }
  EXPECT_GT(std::filesystem::file_size(folder_ / "mlprof.db-wal"), 8'000'000u);
  const auto again = Open();
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(Insert(**again, "damson"));
}

// The last checkpoint is made as the database is closed, where nobody is left to tell.
TEST_F(DiskFailureTest, KeepsTheWalWhenTheLastCheckpointDidNotReachTheDisk) {
  {
    auto open = Open();
    ASSERT_TRUE(Insert(**open, "damson"));
    const FailingSync failing("mlprof.db");
    open->reset();
  }
  EXPECT_GT(std::filesystem::file_size(folder_ / "mlprof.db-wal"), 0u);
  const auto again = Open();
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(Has(**again, "damson"));
}

TEST_F(DiskFailureTest, TellsAWriteThatTheDiskRefusesAndGoesOnAfterIt) {
  const auto open = Open();
  rlimit most{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &most), 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = most;
  small.rlim_cur = std::filesystem::file_size(folder_ / "mlprof.db-wal");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status refused = Insert(**open, std::string(20'000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &most), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_FALSE(refused);
  EXPECT_TRUE((*open)->Health());
  EXPECT_TRUE(Insert(**open, "damson"));
  EXPECT_TRUE(Has(**open, "damson"));
}

// A file system that is full once something has taken the rest of it.
class SmallDisk {
 public:
  SmallDisk() {
    mounted_ = mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=8m") == 0;
    EXPECT_TRUE(mounted_);
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  void Fill() const {
    std::ofstream rest(folder_ / "rest", std::ios::binary);
    const std::string block(4096, 'x');
    while (rest.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }

 private:
  TemporaryDirectory folder_;
  bool mounted_ = false;
};

TEST(FullDiskTest, LetsWhatEndsBeRecordedInTheReserve) {
  const SmallDisk disk;
  ReserveFile reserve(disk / "reserve", MiB(1));
  ASSERT_TRUE(reserve.Restore());
  const auto database = Database::Open(disk / "mlprof.db");
  ASSERT_TRUE(database) << database.error().message();
  (*database)->WhenDiskFull([&] { reserve.Release(); });
  const auto write = [&] {
    return (*database)->Write([](Connection& connection) {
      return connection.Execute(
          "CREATE TABLE IF NOT EXISTS big (x BLOB); INSERT INTO big VALUES (zeroblob(100000))");
    });
  };
  ASSERT_TRUE(write());
  disk.Fill();
  const Status refused = write();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(write()) << "the reserve was given up";
  EXPECT_FALSE(reserve.Restore()) << "not before there is room again";
  std::filesystem::remove(disk / "rest");
  EXPECT_TRUE(reserve.Restore());
}

}  // namespace
}  // namespace mlprof::server
