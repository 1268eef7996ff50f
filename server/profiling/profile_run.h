// One profile, told once from top to bottom.
#pragma once

#include "common/domain/profile.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof {

class ModelRegistry;
class DatasetRegistry;
class SourceRegistry;

struct RunServices {
  Runtime& runtime;
  ModelRegistry& models;
  DatasetRegistry& datasets;
  SourceRegistry& sources;
  const MonotonicClock& clock;
  /// Cores the model is measured on ("0-2"); "": all, shared with what drives it. An answer is
  /// verified on all of them.
  std::string model_cpuset = {};
  int model_cores = 0;  // how many those are; 0: all
  HostLoadReader read_host_load = &ReadHostLoad;
};

/// Runs the profile of `recorder` to its end, or until `run_stop` is asked, which the run does
/// itself where something else than the model fails. Blocks; one thread a profile. Leaves what was
/// found in the profile; the caller commits how it ended.
RunEnd RunProfile(const RunServices& services, RunRecorder& recorder, RunStop& run_stop);

}  // namespace mlprof
