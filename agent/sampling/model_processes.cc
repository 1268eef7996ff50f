#include "agent/sampling/model_processes.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

namespace mlprof::agent {
namespace {

std::set<pid_t> NumbersIn(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  std::set<pid_t> numbers;
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    if (const auto number = ParseNumber(entry->d_name)) numbers.insert(static_cast<pid_t>(*number));
  }
  return numbers;
}

std::set<pid_t> WholeNamespace() {
  std::set<pid_t> pids = NumbersIn("/proc");
  pids.erase(1);
  return pids;
}

void AddDescendants(pid_t of, std::set<pid_t>& pids) {
  const std::string tasks = "/proc/" + std::to_string(of) + "/task";
  // A process is the child of the thread that made it.
  for (const pid_t task : NumbersIn(tasks)) {
    const std::string text = ReadWholeFile(tasks + "/" + std::to_string(task) + "/children");
    std::string_view rest = text;
    while (const auto pid = ParseNumber(rest)) {
      const auto child = static_cast<pid_t>(*pid);
      if (pids.insert(child).second) AddDescendants(child, pids);
      const std::size_t space = rest.find(' ');
      if (space == std::string_view::npos) break;
      rest.remove_prefix(space + 1);
    }
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
