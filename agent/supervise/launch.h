// Starts the model's command as a child of its own session, under the model's identity, with
// nothing of the agent left open.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "common/agent_protocol/messages.h"
#include "common/os/unique_fd.h"
#include "common/result/result.h"

namespace mlprof::agent {

struct Launched {
  pid_t pid = 0;
  /// Ends without a byte once execve has succeeded; otherwise gives the reason as text first.
  UniqueFd report;
};

/// kNotFound for an unknown user; the command itself is only tried in the child. `root` is where
/// etc/passwd and etc/group lie, "" but for tests.
Result<Launched> LaunchCommand(const agent_protocol::Start& start, const std::string& root = "");

/// Why execve of `path` failed with `error`, in words, looking into the file: an interpreter that
/// is not there or another machine's program are not told by the error alone.
std::string ExplainExecFailure(const std::string& path, int error);

}  // namespace mlprof::agent
