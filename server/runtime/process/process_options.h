// What the process runtime must be told, and its factory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "common/result/result.h"
#include "server/runtime/runtime.h"

namespace mlprof::server {

struct ProcessOptions {
  std::filesystem::path agent_binary;  // static mlprof-agent
  std::filesystem::path data_dir;      // process/ and environments/ lie below it
  std::string instance_id;             // names this installation's cgroups
};

/// Models as ordinary processes of this machine: in namespaces and cgroups of their own where this
/// server may make them. Starts nothing yet. kInvalidArgument where the options cannot work at all.
Result<std::unique_ptr<Runtime>> MakeProcessRuntime(ProcessOptions options);

}  // namespace mlprof::server
