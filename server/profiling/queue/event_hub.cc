#include "server/profiling/queue/event_hub.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/profiling/queue/event_data.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kRingEvents = 512;
constexpr Bytes kRingBytes = MiB(1);
constexpr std::string_view kLastEvent = "done";

std::vector<StoredEvent> PageAfter(const std::deque<StoredEvent>& events, std::int64_t last_id,
                                   const EventLimit& limit) {
  auto event = std::upper_bound(
      events.begin(), events.end(), last_id,
      [](std::int64_t id, const StoredEvent& candidate) { return id < candidate.id; });
  std::vector<StoredEvent> page;
  Bytes taken;
  for (; event != events.end() && page.size() < limit.count; ++event) {
    taken += event->size();
    if (!page.empty() && taken > limit.bytes) break;
    page.push_back(*event);
  }
  return page;
}

}  // namespace

void EventHub::PublishStored(const std::string& profile_id, const std::string& type, Json data) {
  Status stored = OpenRing(profile_id);
  if (stored) {
    if (const auto event = Append(profile_id, type, EventData(std::move(data)))) {
      stored = profiles_.AddEvent(profile_id, *event);
    }
  }
  stored ? storage_.Over() : storage_.Failed(stored.error().message());
}

void EventHub::Publish(const std::string& profile_id, const std::string& type, Json data) {
  Open(profile_id);
  Append(profile_id, type, EventData(std::move(data)));
}

void EventHub::PublishToWatchers(const std::string& profile_id, const std::string& type,
                                 Json data) {
  if (const Status opened = OpenRing(profile_id, For::kWatchers); !opened) {
    storage_.Failed(opened.error().message());
    return;
  }
  Append(profile_id, type, EventData(std::move(data)));
}

void EventHub::Open(const std::string& profile_id) {
  if (const Status opened = OpenRing(profile_id); !opened) {
    storage_.Failed(opened.error().message());
  }
}

// Ids go on from the last stored one, so that a client that resumes after a restart misses nothing.
// What is stored is read with no lock held, and again where a ring went meanwhile: it may have left
// newer events. A profile that was forgotten meanwhile has no watchers, and gets no ring for them;
// nor does one whose last event is stored.
Status EventHub::OpenRing(const std::string& profile_id, For whom) {
  const auto wanted = [&] { return whom == For::kAnybody || waiting_.contains(profile_id); };
  for (;;) {
    std::uint64_t forgotten = 0;
    {
      const std::lock_guard lock(mutex_);
      if (rings_.contains(profile_id) || !wanted()) return {};
      forgotten = forgotten_;
    }
    MLPROF_LET(stored, profiles_.NewestEvent(profile_id));
    if (stored && stored->type == kLastEvent) return {};
    const std::lock_guard lock(mutex_);
    if (forgotten != forgotten_ || !wanted()) continue;
    const auto [entry, fresh] = rings_.try_emplace(profile_id);
    if (fresh && stored) entry->second.last_id = stored->id;
    return {};
  }
}

std::optional<StoredEvent> EventHub::Append(const std::string& profile_id, const std::string& type,
                                            std::string data) {
  StoredEvent event;
  std::vector<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto found = rings_.find(profile_id);
    if (found == rings_.end()) return std::nullopt;
    Ring& ring = found->second;
    if (!ring.events.empty() && ring.events.back().type == kLastEvent) return std::nullopt;
    event = {++ring.last_id, type, std::move(data)};
    ring.events.push_back(event);
    ring.size += event.size();
    while (ring.events.size() > kRingEvents || ring.size > kRingBytes) {
      ring.size = ring.size - ring.events.front().size();
      ring.events.pop_front();
    }
    waiting = TakeWaiting(profile_id);
  }
  for (const Waiting& woken : waiting) woken.ready();
  return event;
}

// The ring is read first, then what is stored from before it. In the other order events that left
// the ring in between would be in neither.
Result<std::vector<StoredEvent>> EventHub::After(const std::string& profile_id,
                                                 std::int64_t last_id, const EventLimit& limit) {
  std::vector<StoredEvent> recent;
  std::optional<std::int64_t> oldest;  // that the ring has or will have
  {
    const std::lock_guard lock(mutex_);
    // A profile nobody publishes to any more has no ring; reading it must not make one.
    if (const Ring* const ring = Find(profile_id)) {
      oldest = ring->events.empty() ? ring->last_id + 1 : ring->events.front().id;
      recent = PageAfter(ring->events, last_id, limit);
    }
  }
  if (oldest && last_id + 1 >= *oldest) return recent;
  auto stored = profiles_.EventsAfter(profile_id, last_id, limit);
  if (!stored || !oldest) return stored;
  std::erase_if(*stored, [&](const StoredEvent& event) { return event.id >= *oldest; });
  return stored->empty() ? std::move(recent) : std::move(stored);
}

Result<std::optional<EventMark>> EventHub::Newest(const std::string& profile_id) {
  {
    const std::lock_guard lock(mutex_);
    const Ring* const ring = Find(profile_id);
    if (ring != nullptr && !ring->events.empty()) {
      return EventMark{ring->events.back().id, ring->events.back().type};
    }
  }
  return profiles_.NewestEvent(profile_id);
}

// Waiting makes no ring, because it would never go if nobody publishes to the profile again. If
// there is none, an event may have come, and its ring gone, since the caller looked: so the stored
// events are looked at.
void EventHub::WhenAfter(const std::string& profile_id, std::int64_t last_id, Ready ready,
                         const void* reader) {
  std::optional<std::int64_t> newest;
  {
    const std::lock_guard lock(mutex_);
    const auto found = rings_.find(profile_id);
    if (found != rings_.end()) newest = found->second.last_id;
    if (!newest || *newest <= last_id)
      waiting_[profile_id].push_back({std::exchange(ready, nullptr), reader});
  }
  if (ready) return ready();
  if (newest) return;
  // An error counts as a new event: who waits is called, reads, and is told of the error.
  const auto stored = profiles_.NewestEvent(profile_id);
  if (stored && (!*stored || (*stored)->id <= last_id)) return;
  std::vector<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = TakeWaiting(profile_id);
  }
  for (const Waiting& woken : waiting) woken.ready();
}

void EventHub::StopWaiting(const std::string& profile_id, const void* reader) {
  std::vector<Waiting> gone;  // what they hold goes without the lock
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(profile_id);
  if (found == waiting_.end()) return;
  std::vector<Waiting>& all = found->second;
  const auto theirs = std::stable_partition(
      all.begin(), all.end(), [&](const Waiting& one) { return one.reader != reader; });
  gone.assign(std::make_move_iterator(theirs), std::make_move_iterator(all.end()));
  all.erase(theirs, all.end());
  if (all.empty()) waiting_.erase(found);
}

std::size_t EventHub::CountWaiting(const std::string& profile_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(profile_id);
  return found == waiting_.end() ? 0 : found->second.size();
}

std::vector<EventHub::Waiting> EventHub::TakeWaiting(const std::string& profile_id) {
  auto found = waiting_.extract(profile_id);
  return found ? std::move(found.mapped()) : std::vector<Waiting>();
}

const EventHub::Ring* EventHub::Find(const std::string& profile_id) const {
  const auto found = rings_.find(profile_id);
  return found == rings_.end() ? nullptr : &found->second;
}

bool EventHub::IsOpen(const std::string& profile_id) const {
  const std::lock_guard lock(mutex_);
  return rings_.contains(profile_id);
}

void EventHub::Forget(const std::string& profile_id) {
  std::vector<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    // Also without a ring: one may be on its way for those who wait.
    rings_.erase(profile_id);
    waiting = TakeWaiting(profile_id);
    ++forgotten_;
  }
  for (const Waiting& woken : waiting) woken.ready();
}

}  // namespace mlprof::server
