// How packages are installed without a container. Pure, but for the lister of this machine's
// folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/sandbox/sandbox_plan.h"
#include "server/runtime/environment/pip_settings.h"
#include "server/runtime/process/permissions.h"
#include "server/runtime/process/sandbox/sandbox_root.h"

namespace mlprof::server::process {

struct PreparationPlaces {
  std::filesystem::path environment;  // becomes the virtual environment
  std::filesystem::path temporary;    // /tmp of the installation
  std::filesystem::path variables;    // a shell file that exports what pip needs to know
  std::filesystem::path root;         // an empty folder, the mount point
  std::filesystem::path data;         // the server's own, which no package's code sees
};

/// What pip is told, for a process that has the machine's network: its proxies as they are, in
/// place of relays to them.
environment::PipSettings OnThisNetwork(environment::PipSettings settings);

/// The script, at the places that it finds. As root the packages' code runs as a user without
/// rights.
SandboxPlan PreparationPlan(const std::vector<std::string>& packages,
                            const environment::PipSettings& pip, const PreparationPlaces& places,
                            Apart apart, const ListFolder& list);

/// The pip settings' variables, where files that are lent lie at their own place.
std::map<std::string, std::string> VariablesFor(const environment::PipSettings& pip, Apart apart);

/// The user without rights.
inline constexpr int kNobodyId = 65534;

}  // namespace mlprof::server::process
