// What a model's root is made of: this machine's folders, read-only, with the container's own
// places among them. Pure, but for the lister that it is given.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/sandbox/sandbox_plan.h"
#include "common/units/bytes.h"

namespace mlprof::server::process {

/// One entry of a folder of this machine.
struct HostEntry {
  enum class Kind { kFolder, kFile, kLink };
  std::string name;
  Kind kind;
  std::string target;  // of a link
};

/// The entries of a folder of this machine, by name; none where it cannot be read.
using ListFolder = std::function<std::vector<HostEntry>(const std::string& folder)>;
std::vector<HostEntry> ListHostFolder(const std::string& folder);

/// A place inside that is something of its own.
struct OwnPlace {
  SandboxStep::Kind kind;
  std::string here;  // as SandboxStep
  std::string inside;
};

/// Steps of a root that shows the machine's as it is but for `own` places. Folders that hold one
/// are made anew, and every other entry of them is shown. /proc, /sys, /dev, /run and /tmp are not
/// the machine's: they are `own` places or missing.
std::vector<SandboxStep> RootSteps(const std::vector<OwnPlace>& own, const ListFolder& list);

/// Covers a folder of this machine, given without links, with an empty one that is read-only. The
/// last of the steps. Nothing is needed below /tmp and the other places that are not shown.
void Hide(const std::filesystem::path& folder, std::vector<SandboxStep>& steps);

/// Places that every sandbox has: /proc, /sys without its cgroups, /dev with the usual devices and
/// those of accelerators, /dev/shm of such a size, /run. `cgroups`: controller → folder that the
/// model is in, shown as a container shows it.
std::vector<OwnPlace> SystemPlaces(Bytes shm_size, int cgroup_version,
                                   const std::map<std::string, std::string>& cgroups,
                                   const ListFolder& list);

}  // namespace mlprof::server::process
