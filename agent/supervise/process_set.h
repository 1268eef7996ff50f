// Sees a process of the model vanish that its parent has reaped and replaced in silence, as
// gunicorn's master does.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <set>
#include <vector>

#include "agent/loop/event_loop.h"

namespace mlprof::agent {

/// Remembers processes that have stood for a while; short-lived helpers come and go unremarked.
/// Pure.
class StandingProcesses {
 public:
  // Longer than the helpers that servers start and end in passing live; a worker that dies younger
  // than this is not told (server/replay/kill_watch.cc waits for that reason). Chosen, not
  // measured.
  static constexpr std::chrono::seconds kStanding{2};

  /// Returns the standing processes that are gone. `now` never goes back.
  std::vector<pid_t> Observe(const std::set<pid_t>& present, Clock::time_point now);
  /// All that are there now count as standing: the model has just become ready.
  void MarkStanding(const std::set<pid_t>& present);
  /// Its end is known already.
  void Forget(pid_t pid) { since_.erase(pid); }

 private:
  std::map<pid_t, Clock::time_point> since_;
};

}  // namespace mlprof::agent
