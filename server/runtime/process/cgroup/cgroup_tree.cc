#include "server/runtime/process/cgroup/cgroup_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "common/os/read_text.h"
#include "common/os/unique_fd.h"

namespace mlprof::server::process {
namespace {

constexpr int kRemoveAttempts = 100;
constexpr int kRemovePauseMs = 10;

// What these files refuse is told by errno, which streams do not give.
Status WriteCgroupFile(const std::string& path, const std::string& value) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file) return Fail(FromErrno(errno, "cannot open " + path));
  const ssize_t n = ::write(file.get(), value.data(), value.size());
  if (n == static_cast<ssize_t>(value.size())) return {};
  return Fail(FromErrno(errno, "cannot write '" + value + "' to " + path));
}

Status MakeCgroupFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return Fail(FromErrno(errno, "cannot make " + path));
}

void KillAllIn(const std::string& folder) {
  std::istringstream pids(ReadText(folder + "/cgroup.procs"));
  for (pid_t pid = 0; pids >> pid;) {
    if (pid > 1 && pid != ::getpid()) ::kill(pid, SIGKILL);
  }
}

Status RemoveCgroupFolder(const std::string& folder) {
  for (int attempt = 0; attempt < kRemoveAttempts; ++attempt) {
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return {};
    if (errno != EBUSY) return Fail(FromErrno(errno, "cannot remove the cgroup " + folder));
    KillAllIn(folder);
    ::poll(nullptr, 0, kRemovePauseMs);
  }
  return Fail(Internal("cannot remove the cgroup " + folder +
                       ": what runs in it does not end (see cgroup.procs there)"));
}

// Of a model: what another one left there, its processes and counters, would be this one's.
Status MakeOwnCgroupFolder(const std::string& path) {
  MLPROF_TRY(RemoveCgroupFolder(path));
  if (::mkdir(path.c_str(), 0755) == 0) return {};
  return Fail(FromErrno(errno, "cannot make " + path));
}

std::vector<std::string> FoldersBelow(const std::string& parent) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) names.push_back(entry->path().filename().string());
  }
  return names;
}

}  // namespace

Status ModelCgroup::Write(const std::vector<CgroupWrite>& writes) const {
  for (const CgroupWrite& write : writes) {
    const auto folder = folders_.find(write.controller);
    if (folder == folders_.end()) {
      if (!write.needed) continue;
      return Fail(Unavailable("there is no " + write.controller + " cgroup for models here"));
    }
    const Status written = WriteCgroupFile(folder->second + "/" + write.file, write.value);
    if (!written && write.needed) return written;
  }
  return {};
}

Status ModelCgroup::Limit(const Limits& limits) const {
  MLPROF_TRY(Write(CpuWrites(version_, limits.cpu())));
  MLPROF_TRY(Write(MemoryWrites(version_, limits.memory(), HasSwap(ReadText(swaps_)))));
  return Write(TaskWrites());
}

Status ModelCgroup::SetCpu(Cores cpu) const { return Write(CpuWrites(version_, cpu)); }

std::int64_t ModelCgroup::OomKills() const {
  const auto folder = folders_.find("memory");
  if (folder == folders_.end()) return 0;
  return OomKillsIn(ReadText(folder->second + "/" + OomFile(version_)));
}

bool ModelCgroup::Remove() const {
  bool removed = true;
  for (const std::string& folder : Folders())
    removed = RemoveCgroupFolder(folder).has_value() && removed;
  return removed;
}

std::vector<std::string> ModelCgroup::Folders() const {
  std::set<std::string> folders;
  for (const auto& [controller, folder] : folders_) folders.insert(folder);
  return {folders.begin(), folders.end()};
}

CgroupTree::CgroupTree(CgroupLocation own, const std::string& instance)
    : own_(std::move(own)), folder_name_("mlprof-" + instance.substr(0, 12)) {}

CgroupTree::~CgroupTree() {
  for (const auto& [controller, parent] : parents_) ::rmdir(parent.c_str());
}

// A parent that takes the controllers for its children, with this instance's folder in it.
Result<std::string> CgroupTree::Delegated(const std::string& parent) const {
  constexpr const char* kControllers = "+cpu +memory";
  const std::string control = parent + "/cgroup.subtree_control";
  MLPROF_TRY(WriteCgroupFile(control, kControllers));
  static_cast<void>(WriteCgroupFile(control, "+pids"));
  const std::string folder = parent + "/" + folder_name_;
  MLPROF_TRY(MakeCgroupFolder(folder));
  MLPROF_TRY(WriteCgroupFile(folder + "/cgroup.subtree_control", kControllers));
  static_cast<void>(WriteCgroupFile(folder + "/cgroup.subtree_control", "+pids"));
  return folder;
}

Status CgroupTree::OpenUnified() {
  Result<std::string> folder = Delegated(own_.unified_mount);
  if (!folder) folder = Delegated(own_.unified);
  if (!folder) {
    // The cgroup was given to this server, which is in the way itself.
    const std::string leaf = own_.unified + "/mlprof-server";
    MLPROF_TRY(MakeCgroupFolder(leaf));
    MLPROF_TRY(WriteCgroupFile(leaf + "/cgroup.procs", std::to_string(::getpid())));
    folder = Delegated(own_.unified);
  }
  if (!folder) return Fail(folder.error());
  for (const char* controller : {"cpu", "cpuacct", "memory", "pids"}) {
    parents_[controller] = *folder;
  }
  return {};
}

// Made again where the keeper of a server that was killed has just removed them.
Result<CgroupTree::Parents> CgroupTree::Open() {
  const std::lock_guard lock(mutex_);
  const bool there = std::all_of(parents_.begin(), parents_.end(), [](const auto& parent) {
    return ::access(parent.second.c_str(), F_OK) == 0;
  });
  if (there && !parents_.empty()) return parents_;
  if (own_.version == 0) return Fail(Unavailable("no cgroups are mounted on this machine"));
  if (own_.version == 2) {
    MLPROF_TRY(OpenUnified());
  } else {
    const std::map<std::string, std::string> own = {
        {"cpu", own_.cpu}, {"cpuacct", own_.cpuacct}, {"memory", own_.memory}, {"pids", own_.pids}};
    for (const auto& [controller, folder] : own) {
      if (folder.empty()) continue;
      const std::string parent = folder + "/" + folder_name_;
      MLPROF_TRY(MakeCgroupFolder(parent));
      parents_[controller] = parent;
    }
  }
  return parents_;
}

LimitsHere CgroupTree::Try() {
  LimitsHere here;
  const auto made = Make("probe");
  if (!made) {
    here.why = made.error().message();
    return here;
  }
  // Small enough to fit below any limit of the server's own.
  const Limits limits(Cores(0.1), MiB(32));
  const Status cpu = (*made)->SetCpu(limits.cpu());
  const Status all = cpu ? (*made)->Limit(limits) : cpu;
  here.cpu = cpu.has_value();
  here.memory = all.has_value();
  if (!all) here.why = all.error().message();
  (*made)->Remove();
  return here;
}

Result<std::unique_ptr<ModelCgroup>> CgroupTree::Make(const std::string& name) {
  MLPROF_LET(opened, Open());
  std::map<std::string, std::string> folders;
  for (const auto& [controller, parent] : opened) folders[controller] = parent + "/" + name;
  auto cgroup = std::make_unique<ModelCgroup>(own_.version, std::move(folders));
  std::vector<std::string> made;
  for (const std::string& folder : cgroup->Folders()) {
    if (const Status own = MakeOwnCgroupFolder(folder); !own) {
      for (const std::string& other : made) ::rmdir(other.c_str());
      return Fail(own.error());
    }
    made.push_back(folder);
  }
  return cgroup;
}

int CgroupTree::RemoveOthers(const std::vector<std::string>& kept) {
  const auto opened = Open();
  if (!opened) return 0;
  std::set<std::string> parents;
  for (const auto& [controller, parent] : *opened) parents.insert(parent);
  std::set<std::string> removed;
  for (const std::string& parent : parents) {
    for (const std::string& name : FoldersBelow(parent)) {
      if (std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
      if (RemoveCgroupFolder(parent + "/" + name)) removed.insert(name);
    }
  }
  return static_cast<int>(removed.size());
}

std::optional<Bytes> CgroupTree::OwnMemoryLimit() const {
  if (own_.version == 2) return MemoryLimitIn(ReadText(own_.unified + "/memory.max"));
  return MemoryLimitIn(ReadText(own_.memory + "/memory.limit_in_bytes"));
}

std::optional<Cores> CgroupTree::OwnCpuLimit() const {
  if (own_.version == 2) return CpuLimitIn(ReadText(own_.unified + "/cpu.max"), "");
  return CpuLimitIn(ReadText(own_.cpu + "/cpu.cfs_quota_us"),
                    ReadText(own_.cpu + "/cpu.cfs_period_us"));
}

}  // namespace mlprof::server::process
