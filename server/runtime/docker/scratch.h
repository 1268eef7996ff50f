// The folders of the host that a container may write to: made before it, watched for their size
// (nothing else bounds them), removed after it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/runtime/docker/container_spec.h"

namespace mlprof::docker {

/// Makes the folders, writable for every uid.
Status MakeScratch(const std::filesystem::path& scratch, const std::vector<ScratchFolder>& folders);

/// Gives every uid access to what Docker copied in from the image: the model's uid is not the one
/// the image's files belong to. Call while nothing runs in the container.
void OpenScratch(const std::vector<ScratchFolder>& folders);

/// Bytes on disk below a folder; a container's symbolic links are counted, never followed.
Bytes DiskUse(const std::filesystem::path& folder);

/// Removes it with all that is in it. Logs what it cannot remove.
void RemoveScratch(const std::filesystem::path& scratch);

/// Looks every second or so and calls `on_full` once, from its own thread, when the folders
/// together hold more than `limit`.
class ScratchWatch {
 public:
  ScratchWatch(std::vector<std::filesystem::path> folders, Bytes limit,
               std::function<void()> on_full, std::chrono::milliseconds interval);
  ~ScratchWatch();

 private:
  void Run(const std::stop_token& stop);

  const std::vector<std::filesystem::path> folders_;
  const Bytes limit_;
  const std::function<void()> on_full_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace mlprof::docker
