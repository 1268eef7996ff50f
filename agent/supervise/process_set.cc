#include "agent/supervise/process_set.h"

namespace mlprof::agent {

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
