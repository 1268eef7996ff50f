#include "server/devices/profiler/older_server_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "common/http/spool_file.h"
#include "common/os/unique_fd.h"

namespace mlprof::server::profiler {
namespace {

constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Through /proc/PID/root the root itself is a link, which only the opening of it follows.
UniqueFd OpenFolderIn(int root, const std::filesystem::path& folder) {
  open_how how{};
  how.flags = kFolder;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root, folder.c_str(), &how, sizeof how)));
}

// Opened for reading only once it is known to be a plain file: to open a device has effects.
UniqueFd OpenFile(int folder, const std::string& name) {
  const UniqueFd found(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!found || ::fstat(found.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return UniqueFd();
  const std::string itself = "/proc/self/fd/" + std::to_string(found.get());
  return UniqueFd(::open(itself.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

Result<SpooledBody> CopyOf(int fd, const std::filesystem::path& folder, Bytes most) {
  MLPROF_LET(copy, SpoolFile::Create(folder));
  std::array<char, 64 << 10> piece;
  for (Bytes copied;;) {
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(FromErrno(errno, "cannot read the trace that the program wrote"));
    if (count == 0) return copy->Finish();
    copied += Bytes(count);
    if (copied > most) return Fail(ErrorCode::kTooLarge, "the trace is larger than is taken");
    MLPROF_TRY(copy->Append({piece.data(), static_cast<std::size_t>(count)}));
  }
}

}  // namespace

Result<SpooledBody> CopyOlderServerFile(const OlderServerFile& file,
                                        const std::filesystem::path& folder, Bytes most) {
  const Error not_seen = NotFound(file.path.string() + " of the program is not seen from here");
  if (file.root.empty()) return Fail(not_seen);
  const UniqueFd root(::open(file.root.c_str(), kFolder));
  if (!root) return Fail(not_seen);
  const std::filesystem::path own = file.path.parent_path();
  const UniqueFd parent = OpenFolderIn(root.get(), own.parent_path());
  const UniqueFd holds = OpenFolderIn(root.get(), own);
  const UniqueFd opened = holds ? OpenFile(holds.get(), file.path.filename().string()) : UniqueFd();
  if (!opened) return Fail(not_seen);
  auto copy = CopyOf(opened.get(), folder, most);
  // By what was opened: a link that has taken its place meanwhile is not followed.
  (void)::unlinkat(holds.get(), file.path.filename().c_str(), 0);
  if (parent) (void)::unlinkat(parent.get(), own.filename().c_str(), AT_REMOVEDIR);
  return copy;
}

}  // namespace mlprof::server::profiler
