// What is shown of profiles between the records that are committed: where the running ones are
// right now, and what the others wait for.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "server/profiling/queue/event_hub.h"

namespace mlprof::server {

/// Where running profiles are right now. Thread-safe.
class LiveProgress {
 public:
  void Set(const std::string& profile_id, Progress progress);
  void Forget(const std::string& profile_id);
  std::optional<Progress> Get(const std::string& profile_id) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Progress> running_;
};

/// What profiles that wait for something else than their turn show as their progress. Used by the
/// queue's thread; read by others through LiveProgress and EventHub.
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
