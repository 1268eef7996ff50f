// The root of a sandbox: made from a plan's steps at an empty folder, then taken as the process's
// own. Needs a mount namespace of its own, and the right to mount in it.
#pragma once

#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/sandbox/sandbox_plan.h"

namespace mlprof::agent {

/// Makes it at `root` and leaves the machine's behind. Nothing of it reaches other processes.
Status EnterRoot(const std::string& root, const std::vector<SandboxStep>& steps);

}  // namespace mlprof::agent
