#include "server/runtime/docker/disk/scratch_volume.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/log/log.h"
#include "common/os/remove_tree.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::minutes kVolumeRemoveLimit{5};

}  // namespace

ScratchVolume::ScratchVolume(std::filesystem::path folder, Bytes limit,
                             std::optional<LoopVolume> loop)
    : folder_(std::move(folder)), limit_(limit), loop_(std::move(loop)) {}

ScratchVolume::~ScratchVolume() { Remove(Deadline::After(kVolumeRemoveLimit)); }

void ScratchVolume::Remove(const Patience& patience) {
  if (std::exchange(removed_, true)) return;
  loop_.reset();
  RemoveScratch(folder_, patience);
}

WatchedDisks ScratchVolume::Watched() const {
  WatchedDisks watched;
  // An image is sparse: what is written to it takes the host's disk too.
  watched.hosts = {folder_.parent_path()};
  watched.limit = limit_;
  watched.files_limit = FilesFor(limit_);
  if (bounded()) {
    watched.volume = root();
  } else {
    watched.folders = {folder_};
  }
  return watched;
}

Result<std::unique_ptr<ScratchVolume>> ScratchVolumes::Make(const std::filesystem::path& folder,
                                                            Bytes limit, Deadline deadline) {
  RemoveScratch(folder, deadline);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.string()));
  if (::chmod(folder.c_str(), 0700) != 0) {
    return Fail(FromErrno(errno, "cannot close " + folder.string()));
  }
  std::optional<LoopVolume> loop;
  bool mounts = false;
  {
    const std::lock_guard lock(mutex_);
    mounts = mounts_;
  }
  if (mounts) {
    Result<LoopVolume> mounted = LoopVolume::Mount(folder, limit, deadline);
    if (mounted) {
      loop.emplace(*std::move(mounted));
    } else {
      Tell(mounted.error().message());
    }
  }
  return std::make_unique<ScratchVolume>(folder, limit, std::move(loop));
}

void ScratchVolumes::MountNoMore() {
  {
    const std::lock_guard lock(mutex_);
    mounts_ = false;
  }
  Tell("Docker does not see what is mounted here: it runs in another mount namespace");
}

void ScratchVolumes::Tell(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (told_ == why) return;
  told_ = why;
  LogWarn("what containers write is only watched, not bounded by a file system of its own",
          {{"why", why}});
}

void RemoveScratch(const std::filesystem::path& scratch, const Patience& patience) {
  RemoveVolume(scratch);
  const Status removed = RemoveTree(scratch, patience);
  if (removed) return;
  LogWarn("a container's scratch folder could not be removed",
          {{"folder", scratch.string()}, {"why", removed.error().message()}});
}

}  // namespace mlprof::server::docker
