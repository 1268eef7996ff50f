// What happens in a profile, as it happens: a ring a profile, bounded in events and bytes, on top
// of the events that are stored. Thread-safe; nobody waits for the disk because another does: an
// event is seen before it is stored. One that could not be stored is missing only for who resumes
// after its ring is gone. Nothing is kept for a reader: one that is slow reads what is stored.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "server/profiling/queue/outage.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class EventHub {
 public:
  explicit EventHub(ProfileRepository& profiles) : profiles_(profiles) {}

  /// phase, trial, log, done: stored, so that a client can resume over a restart. `done` is the
  /// last: whatever is published of the profile after it, by whoever had not heard, is dropped.
  void PublishStored(const std::string& profile_id, const std::string& type, Json data);
  /// progress, sample: kept in the ring only.
  void Publish(const std::string& profile_id, const std::string& type, Json data);
  /// The same where somebody follows the profile; else nothing.
  void PublishToWatchers(const std::string& profile_id, const std::string& type, Json data);

  /// The first page of the events after `last_id`, oldest first; empty only where there are none. A
  /// slow reader may miss ring-only ones. May wait for a disk, as the two below.
  Result<std::vector<StoredEvent>> After(const std::string& profile_id, std::int64_t last_id,
                                         const EventLimit& limit = {});
  /// None where nothing happened yet.
  Result<std::optional<EventMark>> Newest(const std::string& profile_id);
  /// Calls `ready` once, from any thread, when an event after `last_id` is there (perhaps at once),
  /// or the profile is forgotten: whoever asks for one that is over already waits for ever.
  /// `reader`: whose address StopWaiting is told, where they may go before.
  void WhenAfter(const std::string& profile_id, std::int64_t last_id, std::function<void()> ready,
                 const void* reader = nullptr);
  /// Nothing of this reader is kept any more; a call of `ready` may be under way.
  void StopWaiting(const std::string& profile_id, const void* reader);
  std::size_t CountWaiting(const std::string& profile_id) const;
  /// Something will be published: a reader that finds nothing yet waits for it.
  void Open(const std::string& profile_id);
  /// Whether more may come: somebody has published to it, or will, and has not said that it is
  /// over.
  bool IsOpen(const std::string& profile_id) const;
  /// Frees the ring of a profile that is finished or deleted; what was stored stays readable. Who
  /// waits for its next event is called.
  void Forget(const std::string& profile_id);

 private:
  struct Ring {
    std::int64_t last_id = 0;
    std::deque<StoredEvent> events;
    Bytes size;  // of the events
  };
  using Ready = std::function<void()>;
  struct Waiting {
    Ready ready;
    const void* reader = nullptr;
  };
  enum class For { kAnybody, kWatchers };
  /// Makes the ring where there is none, behind what is stored. Nothing is made where that fails,
  /// or nobody waits for what is for watchers alone.
  Status OpenRing(const std::string& profile_id, For whom = For::kAnybody);
  /// With the mutex held.
  std::vector<Waiting> TakeWaiting(const std::string& profile_id);
  /// The event with its id, for whoever stores it; none where there is no ring.
  std::optional<StoredEvent> Append(const std::string& profile_id, const std::string& type,
                                    std::string data);
  /// With the mutex held.
  const Ring* Find(const std::string& profile_id) const;

  ProfileRepository& profiles_;
  Outage storage_{"events are not stored", "events are stored again"};
  mutable std::mutex mutex_;
  std::map<std::string, Ring> rings_;  // of profiles that are published to
  std::map<std::string, std::vector<Waiting>> waiting_;
  std::uint64_t forgotten_ = 0;  // profiles, so far
};

}  // namespace mlprof::server
