// From a fresh process to the command of a sandbox's plan.
#pragma once

#include <sys/types.h>

#include "common/sandbox/sandbox_plan.h"

namespace mlprof::agent {

/// The namespaces that the process must be made with (CLONE_NEW…), as flags of clone.
unsigned long NamespacesOf(const SandboxPlan& plan);

/// Who started the sandbox. In a user namespace nobody can tell any more.
struct SandboxUser {
  uid_t uid = 0;
  gid_t gid = 0;
};

/// Confines this process, which was made with these namespaces, and becomes the command. Says on
/// stderr what failed, and ends with kSandboxFailed. `keeper` is a pidfd of the process that made
/// it, with which it ends.
[[noreturn]] void BecomeCommand(const SandboxPlan& plan, const SandboxUser& user, int keeper);

/// The exit code of a sandbox that could not be made.
inline constexpr int kSandboxFailed = 125;

}  // namespace mlprof::agent
