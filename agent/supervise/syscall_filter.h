// What the model may not ask the kernel for, on top of the engine's own filter: sockets of
// AF_VSOCK, which reach the hypervisor from a container without a network, and io_uring, whose
// requests no filter sees and where many a kernel fault has been. Newer engines refuse both by
// themselves. Also the BPF instructions that this filter and that of write_calls.cc are made of.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>

#include "common/result/result.h"

namespace mlprof::agent {

/// For this process and all it starts, for good. Needs PR_SET_NO_NEW_PRIVS. No error where the
/// kernel knows no filters.
Status FilterSystemCalls();

// The instructions that filters of system calls are made of, and the ABI that they are written for:
// this machine's own.

#if defined(__x86_64__)
inline constexpr unsigned kOurs = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr unsigned kOurs = AUDIT_ARCH_AARCH64;
#else
#error "the numbers of this machine's system calls are not known"
#endif

constexpr sock_filter Load(unsigned offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
/// Where the lower half of a call's argument lies.
constexpr unsigned Argument(int index) {
  return static_cast<unsigned>(offsetof(seccomp_data, args) + sizeof(__u64) * index);
}
constexpr sock_filter SkipUnless(unsigned value, unsigned char count) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}
constexpr sock_filter SkipIf(unsigned value, unsigned char count) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0);
}
constexpr sock_filter SkipUnlessAnyOf(unsigned bits, unsigned char count) {
  return BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count);
}
constexpr sock_filter Allow() { return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
constexpr sock_filter Refuse(unsigned error) {
  return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
}
constexpr sock_filter StopForTracer() { return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE); }

}  // namespace mlprof::agent
