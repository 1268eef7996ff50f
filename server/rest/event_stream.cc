#include "server/rest/event_stream.h"

#include <atomic>
#include <memory>
#include <utility>

namespace mlprof::server {
namespace {

// Milliseconds that a browser waits before it resumes a broken stream.
constexpr const char* kOpening = "retry: 2000\n\n";

}  // namespace

std::string FormatEvent(const StoredEvent& event) {
  return "id: " + std::to_string(event.id) + "\nevent: " + event.type + "\ndata: " + event.data +
         "\n\n";
}

std::optional<std::string> EventStream::Read() {
  if (done_) return std::nullopt;
  std::string text;
  if (!opened_) text = kOpening;
  opened_ = true;
  const auto events = Next();
  if (done_) return text.empty() ? std::nullopt : std::optional(text);
  for (const StoredEvent& event : *events) {
    text += FormatEvent(event);
    last_id_ = event.id;
    if (event.type == "done") done_ = true;
  }
  return text;
}

// The profile may end between the look at its events and the look at its state. Then its last event
// came in between, so the events are asked for once more.
Result<std::vector<StoredEvent>> EventStream::Next() {
  auto events = hub_.After(profile_id_, last_id_);
  if (events && events->empty() && over_()) {
    events = hub_.After(profile_id_, last_id_);
    done_ = events && events->empty();
  }
  if (!events) done_ = true;
  return events;
}

// The hub calls who waits when the profile ends. An end that came before the wait began would not
// be told again, so it is looked for here.
void EventStream::OnReady(std::function<void()> ready) {
  const std::int64_t last_id = last_id_;  // a copy: `ready` may change it before this returns
  auto once = [ready = std::move(ready), rung = std::make_shared<std::atomic_flag>()] {
    if (!rung->test_and_set()) ready();
  };
  hub_.WhenAfter(profile_id_, last_id, once, this);
  if (over_()) once();
}

}  // namespace mlprof::server
