// The events of one profile as Server-Sent Events, from a given id on. Ends after `done`, or at
// once after the last event where the profile is finished already. Used by the server's I/O thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/http/message.h"
#include "server/profiling/event_hub.h"

namespace mlprof {

/// One event: id, event and data lines with the empty line that ends it.
std::string FormatEvent(const StoredEvent& event);

class EventStream final : public BodyStream {
 public:
  /// `finished`: nothing more will be published.
  EventStream(EventHub& hub, std::string profile_id, std::int64_t last_id, bool finished)
      : hub_(hub), profile_id_(std::move(profile_id)), last_id_(last_id), finished_(finished) {}

  std::optional<std::string> Read() override;
  void OnReady(std::function<void()> ready) override;

 private:
  EventHub& hub_;
  const std::string profile_id_;
  std::int64_t last_id_;
  const bool finished_;
  bool opened_ = false;
  bool done_ = false;
};

}  // namespace mlprof
