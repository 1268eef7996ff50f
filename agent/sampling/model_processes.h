// Which processes belong to the model.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>

#include "agent/sampling/kept_file.h"

namespace mlprof::agent {

/// Every process but the agent: all of the pid namespace where the agent is its process 1, else the
/// agent's descendants.
std::set<pid_t> ListModelProcesses();

/// "0.20 0.18 0.12 1/80 11206" (/proc/loadavg) → 11206, the last id that was given out in this pid
/// namespace.
std::optional<std::int64_t> ParseLastPid(std::string_view loadavg);

/// Tells whether a process or thread may have begun since the last question, for a small part of
/// what listing them costs. Where that cannot be told: always.
class ProcessBirths {
 public:
  bool Any();

 private:
  const KeptFile loadavg_{"/proc/loadavg"};
  std::optional<std::int64_t> last_pid_;
};

/// The model's processes, listed again only when one may have begun; whether the known ones are
/// still there is asked of each.
class KnownProcesses {
 public:
  const std::set<pid_t>& Now();

 private:
  ProcessBirths births_;
  std::set<pid_t> pids_;
};

}  // namespace mlprof::agent
