// The events of one profile as Server-Sent Events, from a given id on, a page at a time. Ends after
// `done`, or after the last event of a profile that is over: its `done` may never have been stored.
// Used by one worker of the server at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/http/message.h"
#include "server/profiling/queue/event_hub.h"

namespace mlprof::server {

/// One event: id, event and data lines with the empty line that ends it.
std::string FormatEvent(const StoredEvent& event);

class EventStream final : public BodyStream {
 public:
  /// `over`: whether nothing more will be published; asked where there is nothing to say.
  EventStream(EventHub& hub, std::string profile_id, std::int64_t last_id,
              std::function<bool()> over)
      : hub_(hub), profile_id_(std::move(profile_id)), last_id_(last_id), over_(std::move(over)) {}
  ~EventStream() override { hub_.StopWaiting(profile_id_, this); }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  std::optional<std::string> Read() override;
  void OnReady(std::function<void()> ready) override;

 private:
  Result<std::vector<StoredEvent>> Next();

  EventHub& hub_;
  const std::string profile_id_;
  std::int64_t last_id_;
  const std::function<bool()> over_;
  bool opened_ = false;
  bool done_ = false;
};

}  // namespace mlprof::server
