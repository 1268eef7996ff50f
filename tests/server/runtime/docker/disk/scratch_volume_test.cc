// Real file systems on real loop devices: these tests mount, so they run as root.
#include "server/runtime/docker/disk/scratch_volume.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "common/os/loop_support.h"
#include "common/os/remove_tree.h"
#include "server/runtime/docker/disk/loop_volume.h"
#include "tests/common/os/deep_tree.h"
#include "tests/fakes/soon.h"

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLimit = MiB(64);

using fakes::Soon;

Bytes OnDisk(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? Bytes(status.st_blocks * 512) : Bytes();
}

bool IsMounted(const fs::path& folder) {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" " + folder.string() + " ") != std::string::npos) return true;
  }
  return false;
}

// Writes until nothing more fits.
Bytes Fill(int fd) {
  const std::string piece(1 << 20, 'x');
  Bytes written;
  while (written < MiB(1024)) {
    const ssize_t count = ::write(fd, piece.data(), piece.size());
    if (count <= 0) break;
    written += Bytes(count);
  }
  return written;
}

class ScratchVolumeTest : public ::testing::Test {
 protected:
  ScratchVolumeTest() {
    char name[] = "/tmp/volume-test.XXXXXX";
    top_ = ::mkdtemp(name);
    folder_ = top_ / "container";
  }
  ~ScratchVolumeTest() override {
    EXPECT_FALSE(fs::exists(folder_));
    EXPECT_FALSE(IsMounted(folder_ / "volume"));
    EXPECT_TRUE(RemoveTree(top_, Soon()));
  }
  std::unique_ptr<ScratchVolume> Make() {
    EXPECT_EQ(MissingForLoopVolumes(), "");
    const auto began = std::chrono::steady_clock::now();
    auto volume = volumes_.Make(folder_, kLimit, Soon());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::cout << "made in " << took.count() << " ms\n";
    EXPECT_TRUE(volume && (*volume)->bounded());
    return volume ? *std::move(volume) : nullptr;
  }

  fs::path top_;
  fs::path folder_;
  ScratchVolumes volumes_;
};

TEST_F(ScratchVolumeTest, HoldsNoMoreThanItsBytesInAFileThatIsRemovedAndOpen) {
  const auto volume = Make();
  const UniqueFd file(::open((volume->root() / "f").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ::unlink((volume->root() / "f").c_str());
  const Bytes written = Fill(file.get());
  EXPECT_LE(written, kLimit);
  EXPECT_GT(written, Scale(kLimit, 0.8));
  ::fsync(file.get());
  EXPECT_LE(OnDisk(folder_ / "volume.img"), kLimit + MiB(1));
}

TEST_F(ScratchVolumeTest, HoldsNoMoreThanItsBytesBelowAPathNobodyCanName) {
  const auto volume = Make();
  const UniqueFd innermost = fakes::MakeDeepTree(volume->root(), 100, std::string(200, 'd'));
  const UniqueFd file(::openat(innermost.get(), "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  EXPECT_LE(Fill(file.get()), kLimit);
}

TEST_F(ScratchVolumeTest, HoldsNoMoreThanItsFiles) {
  const auto volume = Make();
  const UniqueFd root(::open(volume->root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int made = 0;
  for (; made < 1'000'000; ++made) {
    if (::symlinkat("x", root.get(), std::to_string(made).c_str()) != 0) break;
  }
  EXPECT_EQ(errno, ENOSPC);
  // mkfs fills whole blocks with its tables, group by group.
  EXPECT_LE(made, FilesFor(kLimit) + 1'000);
}

TEST_F(ScratchVolumeTest, IsPrivateAndWithoutDevicesAndOtherUsersRights) {
  const auto volume = Make();
  struct stat status {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::mknod((volume->root() / "null").c_str(), S_IFCHR | 0666, makedev(1, 3)), 0);
  EXPECT_FALSE(UniqueFd(::open((volume->root() / "null").c_str(), O_RDONLY | O_CLOEXEC)));
}

TEST_F(ScratchVolumeTest, GoesAlsoWhileSomebodyStillWritesToIt) {
  auto volume = Make();
  const UniqueFd file(::open((volume->root() / "f").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), "x", 1), 1);
  volume.reset();
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_EQ(::write(file.get(), "x", 1), -1);
}

TEST_F(ScratchVolumeTest, WhatAKilledProcessLeftIsRemovedByItsFolder) {
  fs::create_directories(folder_);
  auto loop = LoopVolume::Mount(folder_, kLimit, Soon());
  ASSERT_TRUE(loop) << loop.error().message();
  // As a process that is killed: nothing is undone.
  static auto* const never_destroyed = new LoopVolume(*std::move(loop));
  ASSERT_NE(never_destroyed, nullptr);
  ASSERT_TRUE(IsMounted(folder_ / "volume"));
  RemoveScratch(folder_, Soon());
}

TEST_F(ScratchVolumeTest, SomebodyElsesMountInItsPlaceIsLeftAlone) {
  fs::create_directories(folder_ / "volume");
  ASSERT_EQ(::mount("none", (folder_ / "volume").c_str(), "tmpfs", 0, "size=1m"), 0);
  std::ofstream(folder_ / "volume/kept") << "x";
  RemoveScratch(folder_, Soon());
  EXPECT_TRUE(fs::exists(folder_ / "volume/kept"));
  ::umount2((folder_ / "volume").c_str(), 0);
  RemoveScratch(folder_, Soon());
}

TEST_F(ScratchVolumeTest, WithoutMountsItIsAFolderThatTheWatchHasToWalk) {
  volumes_.MountNoMore();
  auto volume = volumes_.Make(folder_, kLimit, Soon());
  ASSERT_TRUE(volume);
  EXPECT_FALSE((*volume)->bounded());
  EXPECT_EQ((*volume)->root(), folder_);
  const WatchedDisks watched = (*volume)->Watched();
  EXPECT_EQ(watched.folders, std::vector<fs::path>{folder_});
  EXPECT_EQ(watched.limit, kLimit);
  EXPECT_EQ(watched.files_limit, FilesFor(kLimit));
  volume->reset();
}

TEST_F(ScratchVolumeTest, LeavesThoseWhoCannotWaitWhatIsNotYetRemoved) {
  volumes_.MountNoMore();
  std::stop_source stop;
  stop.request_stop();
  for (const Patience& patience :
       {Patience(Deadline::After(std::chrono::seconds(-1))), Patience(Soon(), stop.get_token())}) {
    const auto volume = volumes_.Make(folder_, kLimit, Soon());
    ASSERT_TRUE(volume);
    std::ofstream(folder_ / "f") << "x";
    (*volume)->Remove(patience);
    EXPECT_TRUE(fs::exists(folder_ / "f"));
  }
  RemoveScratch(folder_, Soon());
}

}  // namespace
}  // namespace mlprof::server::docker
