#include "server/profiling/event_hub.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
  Status stored = OpenRing(profile_id);
  if (stored) {
    if (const auto event = Append(profile_id, type, std::move(data))) {
      stored = profiles_.AddEvent(profile_id, *event);
    }
  }
  stored ? storage_.Over() : storage_.Failed(stored.error().message());
}

void EventHub::Publish(const std::string& profile_id, const std::string& type, Json data) {
  if (const Status opened = OpenRing(profile_id); !opened) {
    storage_.Failed(opened.error().message());
    return;
  }
  Append(profile_id, type, std::move(data));
}

void EventHub::PublishToWatchers(const std::string& profile_id, const std::string& type,
                                 Json data) {
  if (const Status opened = OpenRing(profile_id, For::kWatchers); !opened) {
    storage_.Failed(opened.error().message());
    return;
  }
  Append(profile_id, type, std::move(data));
}

// Ids go on from the last stored one, so that a client that resumes after a restart misses nothing.
// What is stored is read with no lock held, and again where a ring went meanwhile: it may have left
// newer events. A profile that was forgotten meanwhile has no watchers, and gets no ring for them.
Status EventHub::OpenRing(const std::string& profile_id, For whom) {
  const auto wanted = [&] { return whom == For::kAnybody || waiting_.contains(profile_id); };
  for (;;) {
    std::uint64_t forgotten = 0;
    {
      const std::lock_guard lock(mutex_);
      if (rings_.contains(profile_id) || !wanted()) return {};
      forgotten = forgotten_;
    }
    const auto stored = profiles_.EventsAfter(profile_id, 0);
    if (!stored) return Fail(stored.error());
    const std::lock_guard lock(mutex_);
    if (forgotten != forgotten_ || !wanted()) continue;
    const auto [entry, fresh] = rings_.try_emplace(profile_id);
    if (!fresh || stored->empty()) return {};
    entry->second.last_id = stored->back().id;
    const std::size_t keep = std::min(kRingSize, stored->size());
    entry->second.events.assign(stored->end() - static_cast<std::ptrdiff_t>(keep), stored->end());
    return {};
  }
}

std::optional<StoredEvent> EventHub::Append(const std::string& profile_id, const std::string& type,
                                            Json data) {
  StoredEvent event;
  std::vector<Ready> waiting;
  {
    const std::lock_guard lock(mutex_);
    const auto found = rings_.find(profile_id);
    if (found == rings_.end()) return std::nullopt;
    Ring& ring = found->second;
    event = {++ring.last_id, type, std::move(data)};
    ring.events.push_back(event);
    if (ring.events.size() > kRingSize) ring.events.pop_front();
    waiting = TakeWaiting(profile_id);
  }
  for (const Ready& woken : waiting) woken();
  return event;
}

Result<std::vector<StoredEvent>> EventHub::After(const std::string& profile_id,
                                                 std::int64_t last_id, std::size_t max) {
  std::vector<StoredEvent> recent;
  std::optional<std::int64_t> oldest;  // in the ring
  {
    const std::lock_guard lock(mutex_);
    // A profile nobody publishes to any more has no ring; reading it must not make one.
    const auto found = rings_.find(profile_id);
    if (found != rings_.end() && !found->second.events.empty()) {
      const auto& events = found->second.events;
      oldest = events.front().id;
      std::copy_if(events.begin(), events.end(), std::back_inserter(recent),
                   [&](const StoredEvent& event) { return event.id > last_id; });
    }
  }
  if (oldest && last_id + 1 >= *oldest) return FirstOf(std::move(recent), max);
  auto stored = profiles_.EventsAfter(profile_id, last_id);
  if (!stored) return stored;
  if (oldest) std::erase_if(*stored, [&](const StoredEvent& event) { return event.id >= *oldest; });
  stored->insert(stored->end(), recent.begin(), recent.end());
  return FirstOf(std::move(stored), max);
}

// Waiting makes no ring: nobody may ever publish to the profile, or forget it, again. Without one
// an event may have come and its ring gone since the caller looked; then it is stored.
void EventHub::WhenAfter(const std::string& profile_id, std::int64_t last_id, Ready ready) {
  std::optional<std::int64_t> newest;
  {
    const std::lock_guard lock(mutex_);
    const auto found = rings_.find(profile_id);
    if (found != rings_.end()) newest = found->second.last_id;
    if (!newest || *newest <= last_id)
      waiting_[profile_id].push_back(std::exchange(ready, nullptr));
  }
  if (ready) return ready();
  if (newest) return;
  // Where what is stored cannot be read, who waits finds that out by reading.
  const auto stored = profiles_.EventsAfter(profile_id, last_id);
  if (stored && stored->empty()) return;
  std::vector<Ready> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = TakeWaiting(profile_id);
  }
  for (const Ready& woken : waiting) woken();
}

std::vector<EventHub::Ready> EventHub::TakeWaiting(const std::string& profile_id) {
  auto found = waiting_.extract(profile_id);
  return found ? std::move(found.mapped()) : std::vector<Ready>();
}

bool EventHub::IsOpen(const std::string& profile_id) const {
  const std::lock_guard lock(mutex_);
  return rings_.contains(profile_id);
}

void EventHub::Forget(const std::string& profile_id) {
  std::vector<Ready> waiting;
  {
    const std::lock_guard lock(mutex_);
    // Also without a ring: one may be on its way for those who wait.
    rings_.erase(profile_id);
    waiting = TakeWaiting(profile_id);
    ++forgotten_;
  }
  for (const Ready& woken : waiting) woken();
}

}  // namespace mlprof
