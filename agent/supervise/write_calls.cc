#include "agent/supervise/write_calls.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <vector>

#include "agent/sampling/proc.h"
#include "agent/supervise/syscall_filter.h"

namespace mlprof::agent {
namespace {

using enum WriteKind;

// Part of O_TMPFILE is O_DIRECTORY, which readers of folders give too.
constexpr unsigned kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
constexpr long kFchmodat2 = 452;  // the same on every machine; only newer headers name it

constexpr WriteCall kCalls[] = {
    {SYS_openat, kFile, 0, 1, 2},
    {SYS_openat2, kFile, 0, 1},  // its flags lie in memory, where no filter can look
    {SYS_truncate, kFile, -1, 0},
    {SYS_mkdirat, kName, 0, 1},
    {SYS_mknodat, kName, 0, 1},
    {SYS_unlinkat, kRemoval, 0, 1},
    {SYS_renameat2, kName, 2, 3},
    {SYS_linkat, kName, 2, 3},
    {SYS_symlinkat, kName, 1, 2},
    {SYS_fchmodat, kFile, 0, 1},
    {kFchmodat2, kFile, 0, 1},
    {SYS_fchownat, kFile, 0, 1},
    {SYS_utimensat, kFile, 0, 1},
    {SYS_setxattr, kFile, -1, 0},
    {SYS_bind, kName, -1, 1, -1, offsetof(sockaddr_un, sun_path)},
    {SYS_renameat, kName, 2, 3},
#if defined(__x86_64__)
    {SYS_open, kFile, -1, 0, 1},
    {SYS_creat, kFile, -1, 0},
    {SYS_mkdir, kName, -1, 0},
    {SYS_rmdir, kRemoval, -1, 0},
    {SYS_mknod, kName, -1, 0},
    {SYS_unlink, kRemoval, -1, 0},
    {SYS_rename, kName, -1, 1},
    {SYS_link, kName, -1, 1},
    {SYS_symlink, kName, -1, 1},
    {SYS_chmod, kFile, -1, 0},
    {SYS_chown, kFile, -1, 0},
    {SYS_lchown, kName, -1, 0},
    {SYS_utime, kFile, -1, 0},
    {SYS_utimes, kFile, -1, 0},
    {SYS_futimesat, kFile, 0, 1},
#endif
};

std::vector<sock_filter> Program() {
  // A 32-bit program's numbers mean other calls.
  std::vector<sock_filter> program = {Load(offsetof(seccomp_data, arch)), SkipIf(kOurs, 1), Allow(),
                                      Load(offsetof(seccomp_data, nr))};
  for (const WriteCall& call : kCalls) {
    const auto number = static_cast<unsigned>(call.number);
    if (call.flags < 0) {
      program.insert(program.end(), {SkipUnless(number, 1), StopForTracer()});
    } else {
      program.insert(program.end(), {SkipUnless(number, 4), Load(Argument(call.flags)),
                                     SkipUnlessAnyOf(kWrites, 1), StopForTracer(), Allow()});
    }
  }
  program.push_back(Allow());
  return program;
}

}  // namespace

const WriteCall* FindWriteCall(std::uint64_t number) {
  const auto* const found = std::find_if(
      std::begin(kCalls), std::end(kCalls),
      [&](const WriteCall& call) { return static_cast<std::uint64_t>(call.number) == number; });
  return found == std::end(kCalls) ? nullptr : found;
}

Status StopAtWriteCalls() {
  std::vector<sock_filter> program = Program();
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0) return {};
  return Fail(FromErrno(errno, "filtering the model's writes"));
}

namespace {

namespace fs = std::filesystem;

// "" where it cannot be known.
fs::path FolderOf(pid_t pid, int from) {
  const std::string link = from == AT_FDCWD ? "cwd" : "fd/" + std::to_string(from);
  const UniqueFd folder = OpenAsProcess(pid, link.c_str(), O_PATH);
  if (!folder) return {};
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(folder.get()), error);
}

// Links are resolved as far as this process may look; the rest of the path stays as it was given.
fs::path WithoutLinks(const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : resolved;
}

fs::path WithoutSlash(const fs::path& path) {
  return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

bool IsKept(const fs::path& path) {
  for (const char* kept : {"proc", "sys", "dev", ".mlprof"}) {
    if (path.begin() != path.end() && *std::next(path.begin()) == kept) return true;
  }
  return false;
}

fs::path NeededFolder(const fs::path& path, WriteKind kind) {
  std::error_code error;
  if (kind == WriteKind::kFile && fs::is_directory(path, error)) return path;
  // For a folder that was to be made too it is the parent that must be writable: were the folder
  // there already, making it would still fail.
  return path.parent_path();
}

// On a read-only file system the kernel also refuses to remove what does not exist (EROFS instead
// of ENOENT). That is no loss to the model, so it is not told.
bool IsMissing(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::not_found;
}

}  // namespace

std::optional<RefusedWrite> FindRefused(pid_t pid, int from, const std::string& given,
                                        WriteKind kind) {
  if (given.empty()) return std::nullopt;
  fs::path path = WithoutSlash(given);
  if (path.is_relative()) {
    const fs::path folder = FolderOf(pid, from);
    if (!folder.is_absolute()) return std::nullopt;
    path = folder / path;
  }
  path = kind == WriteKind::kFile ? WithoutLinks(path)
                                  : WithoutLinks(path.parent_path()) / path.filename();
  if (path == "/" || IsKept(path)) return std::nullopt;
  if (kind == WriteKind::kRemoval && IsMissing(path)) return std::nullopt;
  const fs::path folder = NeededFolder(path, kind);
  return RefusedWrite{path.string(), folder == "/" ? "" : folder.string()};
}

}  // namespace mlprof::agent
