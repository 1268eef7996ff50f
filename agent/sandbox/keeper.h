// Keeps one sandbox: makes it as the plan says, tells how its command ended, and ends and removes
// all of it once whoever asked for it is gone.
#pragma once

#include "common/result/result.h"

namespace mlprof::agent {

/// `mlprof-agent --sandbox`, on the descriptors that common/sandbox/sandbox_plan.h names. Returns
/// when the pipe of the plan has ended and nothing of the sandbox is left: no process, no mount, no
/// cgroup.
Status KeepSandbox();

}  // namespace mlprof::agent
