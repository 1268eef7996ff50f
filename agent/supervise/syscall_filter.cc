#include "agent/supervise/syscall_filter.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

namespace mlprof::agent {
namespace {

// The numbers of the calls that a 32-bit program makes on x86.
constexpr unsigned kSocketCall32 = 102;  // its arguments lie in memory, where no filter can look
constexpr unsigned kSocket32 = 359;
// Bit of x32, a third ABI of x86-64 that no distribution uses.
constexpr unsigned kX32 = 0x40000000;

}  // namespace

Status FilterSystemCalls() {
  sock_filter program[] = {
      Load(offsetof(seccomp_data, nr)),
      // The same on every ABI.
      SkipUnless(__NR_io_uring_setup, 1),
      Refuse(EPERM),  //
      SkipUnless(__NR_io_uring_enter, 1),
      Refuse(EPERM),  //
      SkipUnless(__NR_io_uring_register, 1),
      Refuse(EPERM),                       //
      Load(offsetof(seccomp_data, arch)),  //
      SkipUnless(kOurs, 8),
      // This machine's own ABI.
      Load(offsetof(seccomp_data, nr)),  //
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1),
      Refuse(ENOSYS),              //
      SkipUnless(__NR_socket, 3),  //
      Load(Argument(0)),
      SkipUnless(AF_VSOCK, 1),
      Refuse(EAFNOSUPPORT),  //
      Allow(),
      // A 32-bit program.
      Load(offsetof(seccomp_data, nr)),  //
      SkipUnless(kSocketCall32, 1),
      Refuse(ENOSYS),            //
      SkipUnless(kSocket32, 3),  //
      Load(Argument(0)),
      SkipUnless(AF_VSOCK, 1),
      Refuse(EAFNOSUPPORT),  //
      Allow(),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 || errno == EINVAL) return {};
  return Fail(FromErrno(errno, "filtering the model's system calls"));
}

}  // namespace mlprof::agent
