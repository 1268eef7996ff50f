#include "agent/supervise/process_set.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "agent/sampling/kept_file.h"

namespace mlprof::agent {
namespace {

std::set<pid_t> WholeNamespace() {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  std::set<pid_t> pids;
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    const auto pid = ParseNumber(entry->d_name);
    if (pid && *pid > 1) pids.insert(static_cast<pid_t>(*pid));
  }
  return pids;
}

void AddDescendants(pid_t of, std::set<pid_t>& pids) {
  const std::string id = std::to_string(of);
  const KeptFile children("/proc/" + id + "/task/" + id + "/children");
  const std::string text(children.Read().value_or(""));
  std::string_view rest = text;
  while (const auto pid = ParseNumber(rest)) {
    const auto child = static_cast<pid_t>(*pid);
    if (pids.insert(child).second) AddDescendants(child, pids);
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
}

}  // namespace

std::set<pid_t> ListModelProcesses() {
  if (::getpid() == 1) return WholeNamespace();
  std::set<pid_t> pids;
  AddDescendants(::getpid(), pids);
  return pids;
}

std::vector<pid_t> StandingProcesses::Observe(const std::set<pid_t>& present,
                                              Clock::time_point now) {
  std::vector<pid_t> gone;
  for (auto it = since_.begin(); it != since_.end();) {
    if (present.contains(it->first)) {
      ++it;
      continue;
    }
    if (now - it->second >= kStanding) gone.push_back(it->first);
    it = since_.erase(it);
  }
  for (const pid_t pid : present) since_.emplace(pid, now);
  return gone;
}

void StandingProcesses::MarkStanding(const std::set<pid_t>& present) {
  for (const pid_t pid : present) since_[pid] = Clock::time_point{};
}

}  // namespace mlprof::agent
