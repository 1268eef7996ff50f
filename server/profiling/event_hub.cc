#include "server/profiling/event_hub.h"

#include <algorithm>

#include "common/log/log.h"

namespace mlprof {
namespace {

constexpr std::size_t kRingSize = 512;

Result<std::vector<StoredEvent>> FirstOf(Result<std::vector<StoredEvent>> events, std::size_t max) {
  if (events && events->size() > max) events->resize(max);
  return events;
}

}  // namespace

void EventHub::PublishStored(const std::string& profile_id, const std::string& type, Json data) {
  Append(profile_id, type, std::move(data), true);
}

void EventHub::Publish(const std::string& profile_id, const std::string& type, Json data) {
  Append(profile_id, type, std::move(data), false);
}

// Ids go on from the last stored one, so that a client that resumes after a restart misses nothing.
EventHub::Ring& EventHub::RingOf(const std::string& profile_id) {
  const auto [entry, fresh] = rings_.try_emplace(profile_id);
  Ring& ring = entry->second;
  if (!fresh) return ring;
  if (auto stored = profiles_.EventsAfter(profile_id, 0); stored && !stored->empty()) {
    ring.last_id = stored->back().id;
    const std::size_t keep = std::min(kRingSize, stored->size());
    ring.events.assign(stored->end() - static_cast<std::ptrdiff_t>(keep), stored->end());
  }
  return ring;
}

void EventHub::Append(const std::string& profile_id, const std::string& type, Json data,
                      bool store) {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    Ring& ring = RingOf(profile_id);
    StoredEvent event{++ring.last_id, type, std::move(data)};
    if (store) {
      if (auto status = profiles_.AddEvent(profile_id, event); !status) {
        LogError("event was not stored",
                 {{"profileId", profile_id}, {"why", status.error().message()}});
      }
    }
    ring.events.push_back(std::move(event));
    if (ring.events.size() > kRingSize) ring.events.pop_front();
    waiting.swap(ring.waiting);
  }
  for (const auto& ready : waiting) ready();
}

Result<std::vector<StoredEvent>> EventHub::After(const std::string& profile_id,
                                                 std::int64_t last_id, std::size_t max) {
  const std::lock_guard lock(mutex_);
  // A profile nobody publishes to any more has no ring; reading it must not make one.
  const auto found = rings_.find(profile_id);
  if (found == rings_.end()) return FirstOf(profiles_.EventsAfter(profile_id, last_id), max);
  const Ring& ring = found->second;
  std::vector<StoredEvent> events;
  if (!ring.events.empty() && last_id + 1 < ring.events.front().id) {
    auto stored = profiles_.EventsAfter(profile_id, last_id);
    if (!stored) return Fail(stored.error());
    for (StoredEvent& event : *stored) {
      if (event.id < ring.events.front().id) events.push_back(std::move(event));
    }
  }
  for (const StoredEvent& event : ring.events) {
    if (event.id > last_id) events.push_back(event);
  }
  return FirstOf(std::move(events), max);
}

void EventHub::WhenAfter(const std::string& profile_id, std::int64_t last_id,
                         std::function<void()> ready) {
  {
    const std::lock_guard lock(mutex_);
    Ring& ring = RingOf(profile_id);
    if (ring.last_id <= last_id) {
      ring.waiting.push_back(std::move(ready));
      return;
    }
  }
  ready();
}

bool EventHub::IsOpen(const std::string& profile_id) const {
  const std::lock_guard lock(mutex_);
  return rings_.contains(profile_id);
}

void EventHub::Forget(const std::string& profile_id) {
  const std::lock_guard lock(mutex_);
  rings_.erase(profile_id);
}

}  // namespace mlprof
