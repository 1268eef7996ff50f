// Parts of a trace: what ran within some spans of its time. Pure; one thread at a time.
#pragma once

#include <vector>

#include "server/devices/xspace/nesting.h"
#include "server/devices/xspace/time_limit.h"
#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

/// What names the events is copied once, however many parts are looked at.
class RestrictedTrace {
 public:
  /// `whole` must outlive it.
  explicit RestrictedTrace(const Trace& whole);

  /// The events that lie within one of the spans, from beginning to end: each is whole, and there
  /// once. What encloses a span, or crosses its edge, belongs to more than the span. Stays until
  /// the next call.
  const Trace& To(std::vector<Span> spans, const TimeLimit& time);

 private:
  const Trace& whole_;
  Trace part_;
};

}  // namespace mlprof::server::xspace
