#include "server/runtime/docker/disk/disk_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <fstream>
#include <future>
#include <map>

#include "common/os/remove_tree.h"

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr WatchPauses kOften{1ms, 1ms, 1ms, 10s};

// Disks as a test says they are.
class FakeDisks {
 public:
  void Set(const fs::path& path, const DiskSpace& space) {
    const std::lock_guard lock(mutex_);
    disks_[path] = space;
  }
  SpaceProbe Probe() {
    return [this](const fs::path& path) -> Result<DiskSpace> {
      const std::lock_guard lock(mutex_);
      const auto found = disks_.find(path);
      if (found == disks_.end()) return Fail(NotFound("no such disk"));
      return found->second;
    };
  }

 private:
  std::mutex mutex_;
  std::map<fs::path, DiskSpace> disks_;
};

DiskSpace Roomy() { return {GiB(200), GiB(100), 10'000'000, 5'000'000}; }

class DiskWatchTest : public ::testing::Test {
 protected:
  DiskWatchTest() {
    char name[] = "/tmp/watch-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~DiskWatchTest() override { EXPECT_TRUE(RemoveTree(folder_, Deadline::After(60s))); }
  std::unique_ptr<DiskWatch> Watch(const WatchedDisks& watched) {
    auto watch = DiskWatch::Start(
        watched, [this](const DiskFull& full, const std::stop_token&) { full_.set_value(full); },
        pauses_, probe_);
    EXPECT_TRUE(watch);
    return *std::move(watch);
  }
  DiskFull Full() {
    auto full = full_.get_future();
    const bool ended = full.wait_for(10s) == std::future_status::ready;
    EXPECT_TRUE(ended);
    return ended ? full.get() : DiskFull{};
  }

  fs::path folder_;
  FakeDisks disks_;
  SpaceProbe probe_ = disks_.Probe();
  WatchPauses pauses_ = kOften;
  std::promise<DiskFull> full_;
};

TEST_F(DiskWatchTest, EndsTheContainerBeforeADiskOfTheHostIsFull) {
  disks_.Set("/data", Roomy());
  disks_.Set("/docker", Roomy());
  const auto watch = Watch({.hosts = {"/data", "/docker"}});
  EXPECT_EQ(watch->Met(), std::nullopt);
  disks_.Set("/docker", {GiB(200), MiB(1000), 10'000'000, 5'000'000});
  const DiskFull full = Full();
  EXPECT_EQ(full.place, DiskFull::Place::kHost);
  EXPECT_EQ(full.host_folder, "/docker");
  EXPECT_TRUE(full.killed);
  EXPECT_EQ(watch->Met(), full);
}

TEST_F(DiskWatchTest, EndsItBeforeADiskHasNoFilesLeft) {
  disks_.Set("/data", {GiB(200), GiB(100), 10'000'000, 19'000});
  const auto watch = Watch({.hosts = {"/data"}});
  const DiskFull full = Full();
  EXPECT_EQ(full.unit, DiskFull::Unit::kFiles);
  EXPECT_EQ(full.files, 19'000);
}

TEST_F(DiskWatchTest, EndsItWhenItsFoldersHoldTooMany) {
  std::ofstream(folder_ / "f") << std::string(100'000, 'x');
  const auto bytes = Watch({.folders = {folder_}, .limit = KiB(8), .files_limit = 100});
  const DiskFull full = Full();
  EXPECT_EQ(full.place, DiskFull::Place::kScratch);
  EXPECT_EQ(full.unit, DiskFull::Unit::kBytes);
}

TEST_F(DiskWatchTest, CountsFilesOfItsFoldersTogether) {
  fs::create_directory(folder_ / "a");
  fs::create_directory(folder_ / "b");
  for (int i = 0; i < 6; ++i) {
    std::ofstream(folder_ / "a" / std::to_string(i)) << "";
    std::ofstream(folder_ / "b" / std::to_string(i)) << "";
  }
  const auto watch =
      Watch({.folders = {folder_ / "a", folder_ / "b"}, .limit = GiB(1), .files_limit = 10});
  EXPECT_EQ(Full().unit, DiskFull::Unit::kFiles);
}

TEST_F(DiskWatchTest, TakesFoldersThatCannotBeCountedInTimeForTooFull) {
  std::ofstream(folder_ / "f") << "";
  pauses_.longest_walk = 0ms;
  const auto watch = Watch({.folders = {folder_}, .limit = GiB(1), .files_limit = 1'000});
  const DiskFull full = Full();
  EXPECT_EQ(full.place, DiskFull::Place::kScratch);
  EXPECT_EQ(full.unit, DiskFull::Unit::kFiles);
}

TEST_F(DiskWatchTest, LooksAtTheHostsDisksWhileItWalks) {
  for (int i = 0; i < 1'000; ++i) std::ofstream(folder_ / std::to_string(i));
  pauses_.walk = 0ms;
  int looks = 0;  // the watch's thread alone asks
  probe_ = [&looks](const fs::path&) -> Result<DiskSpace> {
    if (++looks == 1) return Roomy();
    return DiskSpace{GiB(200), MiB(10), 10'000'000, 5'000'000};
  };
  const auto watch =
      Watch({.hosts = {"/data"}, .folders = {folder_}, .limit = GiB(1), .files_limit = 999});
  EXPECT_EQ(Full().place, DiskFull::Place::kHost);
}

TEST_F(DiskWatchTest, StopsInTheMiddleOfAWalk) {
  for (int i = 0; i < 1'000; ++i) std::ofstream(folder_ / std::to_string(i));
  pauses_.walk = 0ms;
  std::promise<void> walking;
  std::promise<void> stopping;
  int looks = 0;
  probe_ = [&](const fs::path&) -> Result<DiskSpace> {
    if (++looks == 2) {
      walking.set_value();
      stopping.get_future().wait();
    }
    return Roomy();
  };
  std::atomic<bool> ended = false;
  auto watch = DiskWatch::Start(
      {.hosts = {"/data"}, .folders = {folder_}, .limit = GiB(1), .files_limit = 999},
      [&](const DiskFull&, const std::stop_token&) { ended = true; }, pauses_, probe_);
  ASSERT_TRUE(watch);
  ASSERT_EQ(walking.get_future().wait_for(10s), std::future_status::ready);
  auto stopped = std::async(std::launch::async, [&] { (*watch)->Stop(); });
  // Nothing tells when the stop was asked for: the walk is released after it, or looks again.
  stopped.wait_for(100ms);
  stopping.set_value();
  stopped.get();
  EXPECT_FALSE(ended);
}

TEST_F(DiskWatchTest, RemembersThatAVolumeWasFullAndEndsNothing) {
  disks_.Set("/volume", {GiB(9), GiB(5), 600'000, 500'000});
  const auto watch = Watch({.volume = "/volume", .limit = GiB(10), .files_limit = 655'360});
  EXPECT_EQ(watch->Met(), std::nullopt);
  disks_.Set("/volume", {GiB(9), MiB(20), 600'000, 500'000});
  ASSERT_TRUE(watch->Met());
  disks_.Set("/volume", {GiB(9), GiB(9), 600'000, 600'000});
  const auto met = watch->Met();
  ASSERT_TRUE(met);
  EXPECT_EQ(met->bytes, GiB(10));
  EXPECT_FALSE(met->killed);
  EXPECT_NE(Clause(*met).find("were full: 10 GiB"), std::string::npos);
}

TEST_F(DiskWatchTest, RemembersThatAVolumeHadNoFilesLeft) {
  disks_.Set("/volume", {GiB(9), GiB(5), 4'096, 3});
  const auto watch = Watch({.volume = "/volume", .limit = GiB(10), .files_limit = 4'096});
  ASSERT_TRUE(watch->Met());
  EXPECT_NE(Clause(*watch->Met()).find("4096 files"), std::string::npos);
}

TEST_F(DiskWatchTest, TakesTheLogsWordWhereItSawNothing) {
  disks_.Set("/volume", {GiB(9), GiB(9), 600'000, 600'000});
  const auto watch = Watch({.volume = "/volume", .limit = GiB(10), .files_limit = 655'360});
  EXPECT_EQ(watch->Met("all is well"), std::nullopt);
  const auto met = watch->Met("OSError: [Errno 28] No space left on device");
  ASSERT_TRUE(met);
  EXPECT_EQ(met->place, DiskFull::Place::kToldByLog);
  EXPECT_NE(Clause(*met).find("hold 10 GiB and 655360 files"), std::string::npos);
}

TEST(AdmitByDiskTest, RefusesWhatWouldBeEndedAtOnceAndSaysWhatIsMissingWhere) {
  FakeDisks disks;
  disks.Set("/data", Roomy());
  disks.Set("/docker", {GiB(200), MiB(1536), 10'000'000, 5'000'000});
  EXPECT_TRUE(AdmitByDisk({"/data"}, Bytes(0), disks.Probe()));
  const Status refused = AdmitByDisk({"/data", "/docker"}, Bytes(0), disks.Probe());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.error().message(),
            "the disk of /docker has 1.5 GiB free and 2 GiB are needed; remove what is not needed "
            "there");
}

TEST(AdmitByDiskTest, CountsWhatIsNeededBesides) {
  FakeDisks disks;
  disks.Set("/data", {GiB(200), GiB(6), 10'000'000, 5'000'000});
  EXPECT_TRUE(AdmitByDisk({"/data"}, GiB(4), disks.Probe()));
  EXPECT_FALSE(AdmitByDisk({"/data"}, GiB(5), disks.Probe()));
}

TEST(AdmitByDiskTest, CountsTheFilesThatAreNeededBesides) {
  FakeDisks disks;
  disks.Set("/data", {GiB(200), GiB(100), 10'000'000, 1'000'000});
  EXPECT_TRUE(AdmitByDisk({"/data"}, {Bytes(0), 900'000}, disks.Probe()));
  EXPECT_FALSE(AdmitByDisk({"/data"}, {Bytes(0), 970'000}, disks.Probe()));
}

TEST(AdmitByDiskTest, RefusesADiskWithoutFiles) {
  FakeDisks disks;
  disks.Set("/data", {GiB(200), GiB(100), 10'000'000, 100});
  const Status refused = AdmitByDisk({"/data"}, Bytes(0), disks.Probe());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("100 files free and 40000 are needed"),
            std::string::npos);
}

TEST(AdmitByDiskTest, KeepsLessOfASmallDiskAndIgnoresOneItCannotSee) {
  FakeDisks disks;
  disks.Set("/small", {MiB(500), MiB(200), 0, 0});
  EXPECT_TRUE(AdmitByDisk({"/small", "/elsewhere"}, Bytes(0), disks.Probe()));
}

}  // namespace
}  // namespace mlprof::server::docker
