#include "agent/supervise/write_calls.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <vector>

#include "agent/supervise/filter_program.h"

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

}  // namespace mlprof::agent
