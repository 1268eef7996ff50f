// What was seen of one container over its life, as values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/units/bytes.h"
#include "server/profiling/lab/setup.h"

namespace mlprof::server {

/// An instrument did not observe its container, or not to its end.
struct InstrumentFailure {
  std::string instrument;
  std::string why;
};

/// What is known of a container when it is closed.
struct ContainerFacts {
  Use use = Use::kObjective;
  bool served_model = false;                // rather than the null target
  std::optional<Bytes> peak_unreclaimable;  // over its life, without the agent's own
  int workers_lost = 0;  // processes that ended or were replaced while the model went on
  std::vector<InstrumentFailure> instrument_failures = {};
};

}  // namespace mlprof::server
