// What happens in a profile, as it happens: a bounded ring a profile, on top of the events that are
// stored. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "server/storage/profile_repository.h"

namespace mlprof {

class EventHub {
 public:
  explicit EventHub(ProfileRepository& profiles) : profiles_(profiles) {}

  /// phase, trial, log, done: stored, so that a client can resume over a restart.
  void PublishStored(const std::string& profile_id, const std::string& type, Json data);
  /// progress, sample: kept in the ring only.
  void Publish(const std::string& profile_id, const std::string& type, Json data);

  /// Events after `last_id`, oldest first, at most `max`. A slow reader may miss ring-only ones.
  Result<std::vector<StoredEvent>> After(const std::string& profile_id, std::int64_t last_id,
                                         std::size_t max);
  /// Calls `ready` once, from any thread, when an event after `last_id` is there (perhaps at once).
  void WhenAfter(const std::string& profile_id, std::int64_t last_id, std::function<void()> ready);
  /// Whether more may come: somebody has published to it and has not said that it is over.
  bool IsOpen(const std::string& profile_id) const;
  /// Frees the ring of a profile that is finished or deleted; what was stored stays readable.
  void Forget(const std::string& profile_id);

 private:
  struct Ring {
    std::int64_t last_id = 0;
    std::deque<StoredEvent> events;
    std::vector<std::function<void()>> waiting;
  };
  Ring& RingOf(const std::string& profile_id);
  void Append(const std::string& profile_id, const std::string& type, Json data, bool store);

  ProfileRepository& profiles_;
  mutable std::mutex mutex_;
  std::map<std::string, Ring> rings_;
};

}  // namespace mlprof
