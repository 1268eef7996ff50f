// One profile, told once from top to bottom.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "common/domain/profile.h"
#include "server/profiling/budget/run_end.h"
#include "server/profiling/lab/agent_instrument.h"
#include "server/profiling/lab/setup.h"
#include "server/profiling/lab/trace_taking.h"
#include "server/profiling/progress/reporting.h"
#include "server/runtime/runtime.h"

namespace mlprof::server {

namespace devices {
class DevicePool;
}
class ArtifactStore;
class ModelRegistry;
class DatasetRegistry;
class RunOversight;
class SourceRegistry;

struct RunServices {
  Runtime& runtime;
  ModelRegistry& models;
  DatasetRegistry& datasets;
  SourceRegistry& sources;
  ArtifactStore& artifacts;
  const MonotonicClock& clock;
  /// The cores the model runs on, in every phase, on a host of so many.
  std::function<Cpuset(int host_cores)> cpuset_of = &Cpuset::Whole;
  /// What observes each container. One more is one more element.
  std::vector<InstrumentKind> instruments = {AgentInstrument::Kind()};
  /// No model is given a folder of its image to write to that its config does not name.
  bool keep_root_read_only = false;
  /// Who has a say in runs beside their own budgets; nullptr: nobody. Outlives the queue.
  RunOversight* oversight = nullptr;
  /// GPUs of this machine; nullptr: none are given.
  devices::DevicePool* devices = nullptr;
  /// TPU chips of this machine; likewise.
  devices::DevicePool* tpus = nullptr;
  /// How device traces are taken of models that name a profiler server; absent: none are.
  std::optional<TraceTaking> traces = {};
};

/// Runs the profile to its end, or until `run_stop` is asked, which the run does itself where
/// something else than the model fails. Blocks; one thread a profile. Leaves what was found in the
/// profile; the caller commits how it ended.
RunEnd RunProfile(const RunServices& services, Profile& profile, Journal& journal,
                  Announcer& announcer, RunStop& run_stop);

}  // namespace mlprof::server
