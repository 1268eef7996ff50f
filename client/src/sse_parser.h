// Server-sent events (text/event-stream) out of pieces of any size. Comments and `retry` are
// skipped; an event without data is none.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "client/include/mlprof/profiles.h"

namespace mlprof::client {

class SseParser {
 public:
  /// Gives every event that `piece` completes to `handler`; false as soon as the handler says so.
  bool Feed(std::string_view piece, const EventHandler& handler);

 private:
  bool TakeLine(std::string_view line, const EventHandler& handler);
  bool Dispatch(const EventHandler& handler);

  std::string line_;
  bool after_cr_ = false;
  ProfileEvent event_;
  bool has_data_ = false;
};

}  // namespace mlprof::client
