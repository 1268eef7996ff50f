#include "common/os/open_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

namespace mlprof {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Kernels before 5.6, and sandboxes that do not know openat2: a bind mount of the same device is
// entered there.
UniqueFd OpenOnSameDevice(int parent, const char* name) {
  UniqueFd folder(::openat(parent, name, kFolderFlags));
  struct stat above {};
  struct stat below {};
  if (!folder || ::fstat(parent, &above) != 0 || ::fstat(folder.get(), &below) != 0) return folder;
  if (above.st_dev == below.st_dev) return folder;
  errno = EXDEV;
  return UniqueFd();
}

}  // namespace

UniqueFd OpenFolderAt(int parent, const char* name) {
  open_how how{};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, parent, name, &how, sizeof how);
  if (fd >= 0) return UniqueFd(static_cast<int>(fd));
  if (errno == ENOSYS || errno == EPERM) return OpenOnSameDevice(parent, name);
  return UniqueFd();
}

OpenFolder ReadFolder(UniqueFd fd) {
  OpenFolder folder(fd ? ::fdopendir(fd.get()) : nullptr);
  if (folder) (void)fd.Release();
  return folder;
}

}  // namespace mlprof
