#include "agent/supervise/syscall_filter.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mlprof::agent {
namespace {

// The errno (0: none) of `call` in a process that is filtered.
template <class Call>
int ErrorOf(const Call& call) {
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!FilterSystemCalls()) _exit(255);
    errno = 0;
    _exit(call() < 0 ? errno : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FilterSystemCalls, RefusesSocketsToTheHypervisor) {
  EXPECT_EQ(ErrorOf([] { return socket(AF_VSOCK, SOCK_STREAM, 0); }), EAFNOSUPPORT);
  EXPECT_EQ(ErrorOf([] { return socket(AF_INET, SOCK_STREAM, 0); }), 0);
  EXPECT_EQ(ErrorOf([] { return socket(AF_UNIX, SOCK_STREAM, 0); }), 0);
}

TEST(FilterSystemCalls, RefusesIoUring) {
  char parameters[120] = {};
  EXPECT_EQ(ErrorOf([&] { return syscall(SYS_io_uring_setup, 4, parameters); }), EPERM);
  EXPECT_EQ(ErrorOf([] { return syscall(SYS_io_uring_enter, -1, 0, 0, 0, nullptr, 0); }), EPERM);
}

#if defined(__x86_64__)
TEST(FilterSystemCalls, LeavesNoOtherDoorOpen) {
  constexpr long kX32 = 0x40000000;
  EXPECT_EQ(ErrorOf([] { return syscall(kX32 + SYS_socket, AF_VSOCK, SOCK_STREAM, 0); }), ENOSYS);
}
#endif

TEST(FilterSystemCalls, HoldsForWhatIsStarted) {
  EXPECT_EQ(ErrorOf([] {
              const pid_t child = fork();
              if (child == 0) _exit(socket(AF_VSOCK, SOCK_STREAM, 0) < 0 ? errno : 0);
              int status = 0;
              waitpid(child, &status, 0);
              errno = WEXITSTATUS(status);
              return -1;
            }),
            EAFNOSUPPORT);
}

}  // namespace
}  // namespace mlprof::agent
