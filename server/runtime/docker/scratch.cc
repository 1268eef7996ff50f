#include "server/runtime/docker/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "common/os/tree_walk.h"

namespace mlprof::server::docker {
namespace {

// More than any file system of a container's own holds.
constexpr std::int64_t kMostEntries = 10'000'000;

void OpenUp(const WalkedEntry& entry) {
  const mode_t mode = entry.status.st_mode & 07777;
  if (S_ISDIR(entry.status.st_mode)) ::fchmodat(entry.folder, entry.name, mode | 0777, 0);
  if (S_ISREG(entry.status.st_mode)) ::fchmodat(entry.folder, entry.name, mode | 0666, 0);
}

}  // namespace

Status MakeScratch(const std::vector<ScratchFolder>& folders) {
  for (const ScratchFolder& folder : folders) {
    std::error_code error;
    std::filesystem::create_directories(folder.host, error);
    if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.host.string()));
    // By chmod, because the process's umask takes rights away from new folders.
    if (::chmod(folder.host.c_str(), 01777) != 0) {
      return Fail(FromErrno(errno, "cannot open up " + folder.host.string()));
    }
  }
  return {};
}

Status OpenScratch(const std::vector<ScratchFolder>& folders, Deadline deadline) {
  for (const ScratchFolder& folder : folders) {
    if (!folder.keeps_image_content) continue;
    ::chmod(folder.host.c_str(), 01777);
    const Result<Walk> walk = WalkTree(folder.host, {kMostEntries, deadline}, OpenUp);
    if (!walk) return Fail(walk.error());
    if (walk->end != WalkEnd::kComplete) {
      return Fail(ErrorCode::kTooLarge, "the image holds too many files at " + folder.container +
                                            ", which the model may write to");
    }
  }
  return {};
}

}  // namespace mlprof::server::docker
