// What the process runtime and its targets share. A target may outlive the runtime that launched
// it.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/cgroup/cgroup_location.h"
#include "server/runtime/environment/environment_uses.h"
#include "server/runtime/live_containers.h"
#include "server/runtime/process/cgroup/cgroup_tree.h"
#include "server/runtime/process/permissions.h"
#include "server/runtime/process/process_options.h"
#include "server/runtime/turnstile.h"

namespace mlprof::server::process {

struct ProcessContext {
  ProcessContext(ProcessOptions given, CgroupLocation own)
      : options(std::move(given)),
        cgroups(std::move(own), options.instance_id),
        uses(Root() / "uses") {}

  std::filesystem::path Root() const { return options.data_dir / "process"; }
  /// Of one container: what it may write to, and where its root is mounted.
  std::filesystem::path FolderOf(const std::string& name) const { return Root() / "run" / name; }
  std::filesystem::path EnvironmentOf(const std::string& hash) const {
    return Root() / "environments" / hash;
  }

  /// What is permitted here, tried out when it is first asked for.
  Permissions Permitted();

  const ProcessOptions options;
  CgroupTree cgroups;
  LiveContainers live;
  environment::EnvironmentUses uses;
  Turnstile preparing;

 private:
  std::mutex mutex_;
  std::optional<Permissions> permissions_;
};

}  // namespace mlprof::server::process
