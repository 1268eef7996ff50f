#include "server/devices/profiler/older_server_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "common/http/spool_file.h"
#include "common/os/unique_fd.h"

namespace mlprof::server::profiler {
namespace {

// Through /proc/PID/root the root itself is a link, which only this first opening follows.
UniqueFd OpenBelow(const OlderServerFile& file) {
  const UniqueFd root(::open(file.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return UniqueFd();
  open_how how{};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, root.get(), file.path.c_str(), &how, sizeof how);
  return UniqueFd(static_cast<int>(fd));
}

}  // namespace

Result<SpooledBody> CopyOlderServerFile(const OlderServerFile& file,
                                        const std::filesystem::path& folder, Bytes most) {
  const Error not_seen = NotFound(file.path + " of the program is not seen from here");
  if (file.root.empty()) return Fail(not_seen);
  const UniqueFd fd = OpenBelow(file);
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return Fail(not_seen);
  MLPROF_LET(copy, SpoolFile::Create(folder));
  std::array<char, 64 << 10> piece;
  for (Bytes copied;;) {
    const ssize_t count = ::read(fd.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(FromErrno(errno, "cannot read " + file.path + " of the program"));
    if (count == 0) break;
    copied += Bytes(count);
    if (copied > most) return Fail(ErrorCode::kTooLarge, "the trace is larger than is taken");
    MLPROF_TRY(copy->Append({piece.data(), static_cast<std::size_t>(count)}));
  }
  return copy->Finish();
}

void RemoveOlderServerFile(const OlderServerFile& file) {
  const std::filesystem::path path = file.root / std::filesystem::path(file.path).relative_path();
  std::error_code error;
  std::filesystem::remove(path, error);
  std::filesystem::remove(path.parent_path(), error);  // unless something else lies in it
}

}  // namespace mlprof::server::profiler
