#include "common/cgroup/cgroup_location.h"

#include <map>
#include <vector>

#include "common/text/split.h"

namespace mlprof {
namespace {

struct CgroupMount {
  bool v2 = false;
  std::string_view root;    // the hierarchy's folder that is mounted
  std::string_view folder;  // where
  std::string_view options;
};

// "36 25 0:31 ROOT FOLDER rw,… [tags…] - TYPE SOURCE OPTIONS"
std::vector<CgroupMount> CgroupMounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string_view line : Split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto left = Split(line.substr(0, dash), ' ');
    const auto right = Split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3) continue;
    if (right[0] != "cgroup" && right[0] != "cgroup2") continue;
    mounts.push_back({right[0] == "cgroup2", left[3], left[4], right[2]});
  }
  return mounts;
}

// Controller → path of the process in its hierarchy; "" is v2's.
std::map<std::string_view, std::string_view> Paths(std::string_view proc_self_cgroup) {
  std::map<std::string_view, std::string_view> paths;
  for (const std::string_view line : Split(proc_self_cgroup, '\n')) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view path = line.substr(second + 1);
    for (const std::string_view name : Split(line.substr(first + 1, second - first - 1), ',')) {
      paths[name] = path;
    }
  }
  return paths;
}

bool Has(std::string_view comma_list, std::string_view name) {
  for (const std::string_view entry : Split(comma_list, ',')) {
    if (entry == name) return true;
  }
  return false;
}

// A path outside what is mounted (another cgroup namespace made the mount) means the mount itself.
std::string FolderOf(const CgroupMount& mount, std::string_view path) {
  std::string folder(mount.folder);
  const std::string_view root = mount.root == "/" ? std::string_view() : mount.root;
  if (path.starts_with(root) && path != "/") {
    const std::string_view below = path.substr(root.size());
    if (below.starts_with('/') && !below.starts_with("/..")) folder += below;
  }
  return folder;
}

}  // namespace

CgroupLocation LocateCgroup(std::string_view proc_self_cgroup, std::string_view mountinfo) {
  CgroupLocation location;
  const auto mounts = CgroupMounts(mountinfo);
  const auto paths = Paths(proc_self_cgroup);
  const auto find_v1 = [&](std::string_view controller) -> std::string {
    const auto path = paths.find(controller);
    if (path == paths.end()) return {};
    for (const CgroupMount& mount : mounts) {
      if (!mount.v2 && Has(mount.options, controller)) return FolderOf(mount, path->second);
    }
    return {};
  };
  location.cpu = find_v1("cpu");
  location.cpuacct = find_v1("cpuacct");
  location.memory = find_v1("memory");
  location.pids = find_v1("pids");
  if (!location.memory.empty() || !location.cpuacct.empty()) {
    location.version = 1;
    return location;
  }
  location = {};
  const auto path = paths.find("");
  for (const CgroupMount& mount : mounts) {
    if (!mount.v2 || path == paths.end()) continue;
    location.version = 2;
    location.unified = FolderOf(mount, path->second);
    location.unified_mount = std::string(mount.folder);
    break;
  }
  return location;
}

}  // namespace mlprof
