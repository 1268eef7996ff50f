#include "server/runtime/process/sandbox/sandbox_root.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>

namespace mlprof::server::process {
namespace {

using Kind = SandboxStep::Kind;

constexpr std::array<std::string_view, 6> kNotShown = {"/proc", "/sys", "/dev",
                                                       "/run",  "/tmp", "/lost+found"};
constexpr std::array<std::string_view, 6> kDevices = {"null",   "zero",    "full",
                                                      "random", "urandom", "tty"};
constexpr std::array<std::string_view, 4> kAcceleratorPrefixes = {"nvidia", "kfd", "accel", "dri"};

std::string Below(const std::string& folder, const std::string& name) {
  return (folder == "/" ? "" : folder) + "/" + name;
}

bool IsShownDevice(std::string_view name) {
  if (std::find(kDevices.begin(), kDevices.end(), name) != kDevices.end()) return true;
  return std::any_of(kAcceleratorPrefixes.begin(), kAcceleratorPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Every folder above one of the places, but the root.
std::set<std::string> FoldersAbove(const std::vector<OwnPlace>& own) {
  std::set<std::string> folders;
  for (const OwnPlace& place : own) {
    auto folder = std::filesystem::path(place.inside).parent_path();
    for (; folder != folder.root_path(); folder = folder.parent_path()) {
      folders.insert(folder.string());
    }
  }
  return folders;
}

class RootMaker {
 public:
  RootMaker(const std::vector<OwnPlace>& own, const ListFolder& list)
      : own_(own), list_(list), made_(FoldersAbove(own)) {}

  std::vector<SandboxStep> Steps() {
    Show("/", true);
    return std::move(steps_);
  }

 private:
  // The entries of the machine's folder, then what is of the sandbox alone. Sealing comes last.
  void Show(const std::string& folder, bool of_host) {
    std::set<std::string> done;
    if (of_host) {
      for (const HostEntry& entry : list_(folder)) {
        const std::string path = Below(folder, entry.name);
        done.insert(path);
        ShowEntry(path, entry);
      }
    }
    for (const OwnPlace& place : own_) {
      const std::string parent = std::filesystem::path(place.inside).parent_path().string();
      if (parent == folder) Add(place);
    }
    for (const std::string& path : made_) {
      const std::string parent = std::filesystem::path(path).parent_path().string();
      if (parent != folder || done.contains(path) || Owned(path)) continue;
      steps_.push_back({Kind::kFolder, "", path});
      Show(path, false);
    }
  }

  void ShowEntry(const std::string& path, const HostEntry& entry) {
    if (Owned(path)) return;
    const bool hidden = std::find(kNotShown.begin(), kNotShown.end(), path) != kNotShown.end();
    if (made_.contains(path)) {
      // What is a link here leads elsewhere: the sandbox has a folder in its place.
      steps_.push_back({Kind::kFolder, "", path});
      return Show(path, !hidden && entry.kind == HostEntry::Kind::kFolder);
    }
    if (hidden) return;
    if (entry.kind == HostEntry::Kind::kLink) {
      steps_.push_back({Kind::kLink, entry.target, path});
    } else {
      steps_.push_back({Kind::kReadOnly, path, path});
    }
  }

  void Add(const OwnPlace& place) {
    steps_.push_back({place.kind, place.here, place.inside});
    if (!made_.contains(place.inside)) return;
    Show(place.inside, false);
    // What a place holds besides lies in it; a file system in memory takes nothing more then.
    if (place.kind == Kind::kMemory) steps_.push_back({Kind::kSealed, "", place.inside});
  }

  bool Owned(const std::string& path) const {
    return std::any_of(own_.begin(), own_.end(),
                       [&](const OwnPlace& place) { return place.inside == path; });
  }

  const std::vector<OwnPlace>& own_;
  const ListFolder& list_;
  const std::set<std::string> made_;
  std::vector<SandboxStep> steps_;
};

}  // namespace

std::vector<HostEntry> ListHostFolder(const std::string& folder) {
  std::vector<HostEntry> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (entry->is_symlink(ignored)) {
      const auto target = std::filesystem::read_symlink(entry->path(), ignored);
      entries.push_back({name, HostEntry::Kind::kLink, target.string()});
    } else if (entry->is_directory(ignored)) {
      entries.push_back({name, HostEntry::Kind::kFolder, ""});
    } else if (entry->is_regular_file(ignored) || entry->is_character_file(ignored)) {
      entries.push_back({name, HostEntry::Kind::kFile, ""});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const HostEntry& a, const HostEntry& b) { return a.name < b.name; });
  return entries;
}

std::vector<SandboxStep> RootSteps(const std::vector<OwnPlace>& own, const ListFolder& list) {
  return RootMaker(own, list).Steps();
}

void Hide(const std::filesystem::path& folder, std::vector<SandboxStep>& steps) {
  const std::string path = folder.string();
  const bool shown = std::none_of(kNotShown.begin(), kNotShown.end(), [&](std::string_view hidden) {
    return path.starts_with(std::string(hidden) + "/");
  });
  if (path.empty() || !shown) return;
  steps.push_back({Kind::kMemory, "size=4k,mode=755", path});
  steps.push_back({Kind::kSealed, "", path});
}

std::vector<OwnPlace> SystemPlaces(Bytes shm_size, int cgroup_version,
                                   const std::map<std::string, std::string>& cgroups,
                                   const ListFolder& list) {
  std::vector<OwnPlace> places = {{Kind::kProc, "", "/proc"},
                                  {Kind::kMemory, "size=64k,mode=755", "/run"},
                                  {Kind::kMemory, "size=64k,mode=755", "/dev"}};
  for (const HostEntry& entry : list("/sys")) {
    if (entry.name == "fs" || entry.kind == HostEntry::Kind::kLink) continue;
    places.push_back({Kind::kReadOnly, Below("/sys", entry.name), Below("/sys", entry.name)});
  }
  for (const HostEntry& entry : list("/dev")) {
    if (!IsShownDevice(entry.name)) continue;
    places.push_back({Kind::kDevice, Below("/dev", entry.name), Below("/dev", entry.name)});
  }
  places.push_back(
      {Kind::kMemory, "size=" + std::to_string(shm_size.count()) + ",mode=1777", "/dev/shm"});
  places.push_back({Kind::kLink, "/proc/self/fd", "/dev/fd"});
  places.push_back({Kind::kLink, "/proc/self/fd/0", "/dev/stdin"});
  places.push_back({Kind::kLink, "/proc/self/fd/1", "/dev/stdout"});
  places.push_back({Kind::kLink, "/proc/self/fd/2", "/dev/stderr"});
  for (const auto& [controller, folder] : cgroups) {
    const std::string inside =
        cgroup_version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
    places.push_back({Kind::kReadOnly, folder, inside});
    if (cgroup_version == 2) break;
  }
  return places;
}

}  // namespace mlprof::server::process
