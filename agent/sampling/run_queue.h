// How long the model's threads stood ready to run and waited for a core: for other work on the
// host, for each other, or for their quota's next period (the second figure of schedstat, see
// Linux' sched-stats document).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "agent/sampling/model_processes.h"

namespace mlprof::agent {

/// "212296466 35382945 964" (/proc/PID/task/TID/schedstat) → 35382945 ns. A kernel that keeps no
/// such figures says "0 0 0", which is absent.
std::optional<std::chrono::nanoseconds> ParseRunQueueWait(std::string_view schedstat);

/// One thread. A reading costs some 3 µs a thread of the model, during which no row is passed on.
class RunQueue {
 public:
  using List = std::function<std::set<pid_t>()>;
  /// `list` names the model's processes.
  explicit RunQueue(List list = &ListModelProcesses) : list_(std::move(list)) {}

  /// The sum over all threads so far; one that has ended counts as it was last read. Absent where
  /// the kernel keeps no such figure, or no thread is there to ask.
  std::optional<std::chrono::nanoseconds> Waited();

 private:
  using Threads = std::map<pid_t, std::chrono::nanoseconds>;
  Threads ReadAll() const;

  const List list_;
  Threads threads_;
  Threads missed_;  // by the last reading: a listing of /proc may leave one out
  std::chrono::nanoseconds waited_{0};
};

}  // namespace mlprof::agent
