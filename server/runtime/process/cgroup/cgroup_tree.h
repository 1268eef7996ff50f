// Where this server makes cgroups for its models, and one of them. On cgroup v1 they lie below the
// server's own cgroup in each hierarchy. On v2 a cgroup with processes of its own can hold none
// with limits: they lie at the top of what is mounted where the server may write there, else below
// its own cgroup, whose processes (itself alone) move into a leaf first.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/cgroup/cgroup_location.h"
#include "common/domain/limits.h"
#include "common/result/result.h"
#include "server/runtime/process/cgroup/cgroup_files.h"

namespace mlprof::server::process {

/// What models can be held to here, and why not to more.
struct LimitsHere {
  bool cpu = false;
  bool memory = false;
  std::string why;  // what is missing, as the kernel said it; "" where nothing is
  bool Hold() const { return cpu && memory; }
};

/// One cgroup, made and removed by its owner. Not thread-safe, but that SetCpu and OomKills may be
/// called beside one another.
class ModelCgroup {
 public:
  /// `swaps`: where this machine tells what it swaps to.
  ModelCgroup(int version, std::map<std::string, std::string> folders,
              std::string swaps = "/proc/swaps")
      : version_(version), folders_(std::move(folders)), swaps_(std::move(swaps)) {}
  ModelCgroup(const ModelCgroup&) = delete;
  ModelCgroup& operator=(const ModelCgroup&) = delete;

  /// kUnavailable, or kPermissionDenied, with the file that could not be written.
  Status Limit(const Limits& limits) const;
  Status SetCpu(Cores cpu) const;
  std::int64_t OomKills() const;
  /// Kills what is in it and removes it. Waits a moment for the kernel; false where it is still
  /// there.
  bool Remove() const;

  int version() const { return version_; }
  /// Every folder once: "memory" and "cpu" may be one.
  std::vector<std::string> Folders() const;
  /// Controller → folder; of v2 all the same.
  const std::map<std::string, std::string>& by_controller() const { return folders_; }

 private:
  Status Write(const std::vector<CgroupWrite>& writes) const;

  const int version_;
  const std::map<std::string, std::string> folders_;
  const std::string swaps_;
};

/// Thread-safe once made.
class CgroupTree {
 public:
  /// `own` is where this process's cgroup lies, `instance` whose models they are. Makes nothing
  /// yet.
  CgroupTree(CgroupLocation own, const std::string& instance);
  /// Leaves no folder of this instance's where no model's is left in it.
  ~CgroupTree();
  CgroupTree(const CgroupTree&) = delete;
  CgroupTree& operator=(const CgroupTree&) = delete;

  /// Tries it with a cgroup that is removed at once.
  LimitsHere Try();
  /// An empty cgroup. One of that name which a former server left is removed first; an error where
  /// it cannot be.
  Result<std::unique_ptr<ModelCgroup>> Make(const std::string& name);
  /// Removes those of this instance that are not named in `kept`, with what runs in them; how many.
  int RemoveOthers(const std::vector<std::string>& kept);

  /// What the server's own cgroup is limited to: no model gets more.
  std::optional<Bytes> OwnMemoryLimit() const;
  std::optional<Cores> OwnCpuLimit() const;
  int version() const { return own_.version; }

 private:
  using Parents = std::map<std::string, std::string>;
  Result<Parents> Open();
  Status OpenUnified();
  Result<std::string> Delegated(const std::string& parent) const;

  const CgroupLocation own_;
  const std::string folder_name_;
  std::mutex mutex_;  // of what follows
  Parents parents_;   // controller → folder that holds this instance's; empty until made
};

}  // namespace mlprof::server::process
