// Watches what a container writes: ends it before a disk of the host is full, or when folders that
// nothing else bounds hold too much, and remembers when its own file system was full.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "common/domain/write_error.h"
#include "server/runtime/docker/disk/disk_space.h"

namespace mlprof::server::docker {

struct WatchedDisks {
  std::vector<std::filesystem::path> hosts = {};    // disks of the host that must not fill up
  std::vector<std::filesystem::path> folders = {};  // together bounded: walked for it
  std::filesystem::path volume = {};                // a file system of its own; "": there is none
  Bytes limit = {};
  std::int64_t files_limit = 0;
};

struct WatchPauses {
  std::chrono::milliseconds look{200};   // at the free space: a microsecond's call
  std::chrono::milliseconds often{20};   // once the container's own volume is half full
  std::chrono::milliseconds walk{2000};  // through the folders
  std::chrono::milliseconds longest_walk{10'000};
};

class DiskWatch {
 public:
  /// Ends the container; gives up when its token says so, because the watch is being stopped.
  using OnFull = std::function<void(const DiskFull&, const std::stop_token&)>;

  /// `on_full` is called once, from the watch's thread. kResourceExhausted where no thread can be
  /// had.
  static Result<std::unique_ptr<DiskWatch>> Start(WatchedDisks watched, OnFull on_full,
                                                  WatchPauses pauses = {},
                                                  SpaceProbe probe = SpaceAt);
  ~DiskWatch();
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

  /// Ends the watch, and waits where it is just ending the container.
  void Stop() { thread_ = {}; }
  /// The bound that was met since the start, if any was; looks again, and takes the container's
  /// word for it where `log`, the end of what it said, tells of one. Any thread.
  std::optional<DiskFull> Met(std::string_view log = {});

 private:
  DiskWatch(WatchedDisks watched, OnFull on_full, WatchPauses pauses, SpaceProbe probe);
  void Run(const std::stop_token& stop);
  std::optional<DiskFull> HostShortage() const;
  std::optional<DiskFull> FoldersOver(const std::stop_token& stop) const;
  bool LookAtVolume();
  void Note(const DiskFull& full);

  const WatchedDisks watched_;
  const OnFull on_full_;
  const WatchPauses pauses_;
  const SpaceProbe probe_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<DiskFull> met_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace mlprof::server::docker
