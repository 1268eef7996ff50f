// What is left of a container when it is closed: what was seen of it over its life, and what it
// wrote. Values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units/bytes.h"
#include "server/analysis/device_use.h"
#include "server/profiling/lab/setup.h"

namespace mlprof::server {

/// An instrument did not observe its container, or not to its end.
struct InstrumentFailure {
  std::string instrument;
  std::string why;
};

/// What was seen while more was asked of a container than the objective does.
struct Overload {
  std::optional<Bytes> peak_unreclaimable;
  std::optional<double> max_cores;  // largest mean over one second
  int concurrency = 0;              // most rows in flight; 0: of rates alone
};

/// What is known of a container when it is closed.
struct ContainerFacts {
  Use use = Use::kObjective;
  bool served_model = false;  // rather than the null target
  /// Until more than the objective was asked of it, without the agent's own.
  std::optional<Bytes> peak_unreclaimable;
  int workers_lost = 0;      // processes that died, not for memory, while the model went on
  int workers_replaced = 0;  // that the model itself replaced, and no row broke of it
  std::vector<InstrumentFailure> instrument_failures = {};
  std::optional<std::chrono::nanoseconds> beyond_from = {};  // on the run's clock
  std::optional<Overload> overload = {};                     // from then on
  std::optional<DeviceUse> device = {};                      // absent: it had none
  bool filled_ceiling = false;  // it had all memory, and was killed for more or thrashed
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
