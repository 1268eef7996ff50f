// The sandbox of one model: the one place to read when asking what a model may do. Pure, but for
// the lister of this machine's folders.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/result/result.h"
#include "common/sandbox/sandbox_plan.h"
#include "server/runtime/process/cgroup/cgroup_tree.h"
#include "server/runtime/process/permissions.h"
#include "server/runtime/process/placed_start.h"
#include "server/runtime/process/sandbox/sandbox_root.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::process {

/// Where things of a container lie on this machine.
struct ModelPlaces {
  std::filesystem::path agent;
  std::filesystem::path folder;       // FolderOf(name)
  std::filesystem::path data;         // the server's own, which no model sees
  std::filesystem::path environment;  // of an entry script; "": none
  std::vector<std::pair<std::filesystem::path, std::string>> inputs;  // here, inside
  const ModelCgroup* cgroup = nullptr;
};

// What lies in a container's folder.
inline constexpr const char* kRootFolder = "root";  // the mount point
inline constexpr const char* kTmpFolder = "tmp";
inline constexpr const char* kHomeFolder = "home";
inline constexpr const char* kHostsFile = "hosts";
/// Where inputs are linked to at the places that a container has them, without a root of its own.
inline constexpr const char* kInsideFolder = "inside";

/// A folder that the model may write to, over what the machine has there.
struct WritableLayer {
  std::string inside;
  std::filesystem::path upper;  // what it writes
  std::filesystem::path work;   // the kernel's own
};
/// Of writable paths in normal form (WritablePathsHere).
std::vector<WritableLayer> LayersOf(const InferenceConfig& config,
                                    const std::filesystem::path& folder);

/// Whether the model has a network of its own.
bool HasOwnNetwork(const InferenceConfig& config, Apart apart);

SandboxPlan ModelPlan(const LaunchRequest& request, const ModelPlaces& places, Apart apart,
                      int host_cores, const ListFolder& list);

/// How its start is put into terms of this machine. The port is left to the caller.
StartPlacement PlacementOf(const ModelPlaces& places, Apart apart);

}  // namespace mlprof::server::process
