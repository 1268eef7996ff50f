// Where a container's writable folders lie: a file system of their own where one can be mounted, a
// plain folder that a DiskWatch bounds elsewhere.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/result/result.h"
#include "common/time/deadline.h"
#include "common/units/bytes.h"
#include "server/runtime/docker/disk/disk_watch.h"
#include "server/runtime/docker/disk/loop_volume.h"

namespace mlprof::server::docker {

/// Destroying it removes it with all that is in it, which may take minutes where nothing bounds it.
class ScratchVolume {
 public:
  ScratchVolume(std::filesystem::path folder, Bytes limit, std::optional<LoopVolume> loop);
  ~ScratchVolume();
  ScratchVolume(const ScratchVolume&) = delete;
  ScratchVolume& operator=(const ScratchVolume&) = delete;

  /// Private to root; what lies in it is the container's.
  std::filesystem::path root() const { return loop_ ? loop_->root() : folder_; }
  /// A file system of its own.
  bool bounded() const { return loop_.has_value(); }
  Bytes limit() const { return limit_; }
  /// Removes it now, as far as `patience` goes; what is left stays for the orphans' removal.
  /// Nothing else may be called then.
  void Remove(const Patience& patience);
  /// What a DiskWatch has to look at for it.
  WatchedDisks Watched() const;

 private:
  const std::filesystem::path folder_;
  const Bytes limit_;
  std::optional<LoopVolume> loop_;
  bool removed_ = false;
};

/// Makes volumes of the kind this machine can give. Thread-safe.
class ScratchVolumes {
 public:
  /// In `folder`, which is made (0700); what a killed process left there is removed first.
  Result<std::unique_ptr<ScratchVolume>> Make(const std::filesystem::path& folder, Bytes limit,
                                              Deadline deadline);
  /// From now on plain folders: the engine does not see what is mounted here.
  void MountNoMore();

 private:
  void Tell(const std::string& why);

  std::mutex mutex_;
  bool mounts_ = true;  // guarded
  std::string told_;    // guarded: the reason that was logged last
};

/// Removes a scratch folder with all that is in it, as far as `patience` goes. Logs what it cannot
/// remove.
void RemoveScratch(const std::filesystem::path& scratch, const Patience& patience);

}  // namespace mlprof::server::docker
