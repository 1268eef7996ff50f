#include "server/rest/event_stream.h"

namespace mlprof {
namespace {

constexpr std::size_t kEventsAtOnce = 64;
// How long a browser waits before it takes a broken stream up again.
constexpr const char* kOpening = "retry: 2000\n\n";

}  // namespace

std::string FormatEvent(const StoredEvent& event) {
  return "id: " + std::to_string(event.id) + "\nevent: " + event.type +
         "\ndata: " + DumpJson(event.data) + "\n\n";
}

std::optional<std::string> EventStream::Read() {
  if (done_) return std::nullopt;
  std::string text;
  if (!opened_) text = kOpening;
  opened_ = true;
  const auto events = hub_.After(profile_id_, last_id_, kEventsAtOnce);
  if (!events || (events->empty() && finished_)) {
    done_ = true;
    return text.empty() ? std::nullopt : std::optional(text);
  }
  for (const StoredEvent& event : *events) {
    text += FormatEvent(event);
    last_id_ = event.id;
    if (event.type == "done") done_ = true;
  }
  return text;
}

void EventStream::OnReady(std::function<void()> ready) {
  hub_.WhenAfter(profile_id_, last_id_, std::move(ready));
}

}  // namespace mlprof
