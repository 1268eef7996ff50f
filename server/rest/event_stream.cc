#include "server/rest/event_stream.h"

#include <atomic>
#include <memory>
#include <utility>

namespace mlprof {
namespace {

// How long a browser waits before it takes a broken stream up again.
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

// Where the profile ended between two looks, its last event came in between.
Result<std::vector<StoredEvent>> EventStream::Next() {
  auto events = hub_.After(profile_id_, last_id_);
  if (events && events->empty() && over_()) {
    events = hub_.After(profile_id_, last_id_);
    done_ = events && events->empty();
  }
  if (!events) done_ = true;
  return events;
}

// Who waits is called at the profile's end; one that came before nobody tells of again.
void EventStream::OnReady(std::function<void()> ready) {
  const std::int64_t last_id = last_id_;  // who is called may read on before this returns
  auto once = [ready = std::move(ready), rung = std::make_shared<std::atomic_flag>()] {
    if (!rung->test_and_set()) ready();
  };
  hub_.WhenAfter(profile_id_, last_id, once, this);
  if (over_()) once();
}

}  // namespace mlprof
