#include "server/runtime/docker/scratch.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/log/log.h"

namespace mlprof::docker {
namespace {

namespace fs = std::filesystem;

// Every file or folder below, links not followed. What vanishes meanwhile is passed over.
template <class Visit>
void VisitBelow(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  const fs::recursive_directory_iterator end;
  while (!error && entry != end) {
    visit(entry->path());
    entry.increment(error);
  }
}

}  // namespace

Status MakeScratch(const fs::path& scratch, const std::vector<ScratchFolder>& folders) {
  for (const ScratchFolder& folder : folders) {
    std::error_code error;
    fs::create_directories(folder.host, error);
    if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.host.string()));
    // Explicitly: the process's umask takes rights away from new folders.
    if (::chmod(folder.host.c_str(), 01777) != 0) {
      return Fail(FromErrno(errno, "cannot open up " + folder.host.string()));
    }
  }
  if (::chmod(scratch.c_str(), 0700) != 0) {
    return Fail(FromErrno(errno, "cannot close " + scratch.string()));
  }
  return {};
}

void OpenScratch(const std::vector<ScratchFolder>& folders) {
  for (const ScratchFolder& folder : folders) {
    if (!folder.keeps_image_content) continue;
    ::chmod(folder.host.c_str(), 01777);
    VisitBelow(folder.host, [](const fs::path& path) {
      struct stat status {};
      if (::lstat(path.c_str(), &status) != 0) return;
      const mode_t mode = status.st_mode & 07777;
      if (S_ISDIR(status.st_mode)) ::chmod(path.c_str(), mode | 0777);
      if (S_ISREG(status.st_mode)) ::chmod(path.c_str(), mode | 0666);
    });
  }
}

Bytes DiskUse(const fs::path& folder) {
  Bytes used;
  VisitBelow(folder, [&](const fs::path& path) {
    struct stat status {};
    constexpr std::int64_t kStatBlock = 512;
    if (::lstat(path.c_str(), &status) == 0) used += Bytes(status.st_blocks * kStatBlock);
  });
  return used;
}

void RemoveScratch(const fs::path& scratch) {
  std::error_code error;
  fs::remove_all(scratch, error);
  if (!error) return;
  LogWarn("a container's scratch folder could not be removed",
          {{"folder", scratch.string()}, {"why", error.message()}});
}

ScratchWatch::ScratchWatch(std::vector<fs::path> folders, Bytes limit,
                           std::function<void()> on_full, std::chrono::milliseconds interval)
    : folders_(std::move(folders)),
      limit_(limit),
      on_full_(std::move(on_full)),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

ScratchWatch::~ScratchWatch() = default;  // the thread stops and joins first

void ScratchWatch::Run(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, interval_, [] { return false; });
    }
    if (stop.stop_requested()) return;
    Bytes used;
    for (const fs::path& folder : folders_) used += DiskUse(folder);
    if (used <= limit_) continue;
    on_full_();
    return;
  }
}

}  // namespace mlprof::docker
