// What profiles that wait for something else than their turn show as their progress. Used by the
// queue's thread; read by others through LiveProgress and EventHub.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"

namespace mlprof::server {

class WaitingNotice {
 public:
  WaitingNotice(EventHub& events, LiveProgress& live) : events_(events), live_(live) {}

  /// These wait, and nothing else does.
  void Show(const std::vector<Profile>& waiting, const std::string& message);
  void Clear() { Show({}, ""); }

 private:
  EventHub& events_;
  LiveProgress& live_;
  std::set<std::string> shown_;
};

}  // namespace mlprof::server
