// Runs a program or a shell script of ours as a child process, its output handed on as it comes.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::server::environment {

/// The program `words[0]`, an absolute path, with its arguments; as RunScript else.
/// kResourceExhausted where the system gives no more processes.
Result<int> RunProgram(const std::vector<std::string>& words,
                       const std::function<void(std::string_view)>& on_output, std::stop_token stop,
                       Deadline deadline);

/// `sh -c TEXT NAME ARGUMENTS…` with stdin closed and stdout and stderr together; its exit status.
/// Stopped or late, its whole process group is told to end and, a moment later, killed; whatever
/// is left of the group when the script itself ends is killed too.
Result<int> RunScript(const std::string& text, const std::string& name,
                      const std::vector<std::string>& arguments,
                      const std::function<void(std::string_view)>& on_output, std::stop_token stop,
                      Deadline deadline);

}  // namespace mlprof::server::environment
