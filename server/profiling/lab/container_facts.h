// What is left of a container when it is closed: what was seen of it over its life, and what it
// wrote. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// What the containers of a profile wrote, one after another, as far as it is kept. Used by the
/// thread that runs the profile.
class ContainerLogs {
 public:
  /// The newest that fits: what came first goes, by whole lines where there are some.
  explicit ContainerLogs(Bytes most = MiB(16)) : most_(most) {}

  /// Of the container with this number, which is over. An empty log leaves no trace.
  void Add(int container, std::string_view log);
  bool empty() const { return text_.empty(); }
  /// All of it; the first line says how much is missing, if anything.
  std::string Text() const;

 private:
  const Bytes most_;
  std::string text_;
  Bytes left_out_;
};

}  // namespace mlprof::server
