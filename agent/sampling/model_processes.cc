#include "agent/sampling/model_processes.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

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

std::optional<std::int64_t> ParseLastPid(std::string_view loadavg) {
  const std::size_t space = loadavg.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return ParseNumber(loadavg.substr(space + 1));
}

bool ProcessBirths::Any() {
  const auto text = loadavg_.Read();
  const auto last = text ? ParseLastPid(*text) : std::nullopt;
  const bool none = last && last == last_pid_;
  last_pid_ = last;
  return !none;
}

const std::set<pid_t>& KnownProcesses::Now() {
  if (births_.Any()) {
    pids_ = ListModelProcesses();
  } else {
    std::erase_if(pids_, [](pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; });
  }
  return pids_;
}

}  // namespace mlprof::agent
