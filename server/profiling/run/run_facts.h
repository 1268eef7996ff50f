// What one run has found out, phase by phase, as values. What is told of it to the user (answer,
// findings, measurements, warnings) is rendered from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/analysis/fatal_growth.h"
#include "server/profiling/lab/host_watch.h"
#include "server/profiling/phases/ample.h"
#include "server/profiling/phases/captures.h"
#include "server/profiling/phases/cold_starts.h"
#include "server/profiling/phases/device_memory.h"
#include "server/profiling/phases/distinct_rows.h"
#include "server/profiling/phases/load.h"
#include "server/profiling/phases/load_curve.h"
#include "server/profiling/phases/plateau.h"
#include "server/profiling/phases/row_pass.h"
#include "server/profiling/phases/search_cpu.h"
#include "server/profiling/phases/search_memory.h"
#include "server/profiling/phases/soak.h"
#include "server/profiling/phases/sustained_load.h"
#include "server/profiling/phases/thread_pools.h"
#include "server/profiling/phases/tightness.h"
#include "server/profiling/phases/verify.h"
#include "server/profiling/phases/warm_up.h"
#include "server/profiling/phases/workers.h"

namespace mlprof::server {

/// What the host gives, and how much of it the model may use.
struct HostChoice {
  HostFacts host;
  Bytes most_memory;  // for one container
  Limits ceiling;
  Cpuset cpuset = Cpuset::Whole(0);
  bool asked_for_more = false;            // than the ceiling
  std::vector<std::string> devices = {};  // that the run is lent, by uuid
  std::string devices_skipped = {};       // why others were passed over
  std::string devices_doubted = {};       // why nobody can tell whether some are free
  tpu::TpuLaunch tpus = {};               // of a container, where these are TPU chips
};

/// Of a model that scales over cores: where more of them stop paying, and what it would have taken
/// to be as fast as with all of them.
struct CpuKnee {
  Cores cpu;
  Cores as_with_all;
  double mean_ms_with_all = 0;  // at the latter
};

/// Why what waited for the proof was not all measured.
struct CurvesLeftOut {
  std::string why;
  bool for_budget = false;
};

/// Of all models together, as their files say.
struct StoredParameters {
  std::optional<Bytes> stored;
  std::optional<Bytes> in_half;  // were all of them bfloat16; absent: no less
};

/// An absent phase has not come to its end.
struct RunFacts {
  Objective objective;
  std::size_t rows = 0;  // of the dataset
  HostChoice host;
  StoredParameters parameters;
  std::vector<Warning> image;  // that its preparation gave
  std::optional<ReplayCapacity> replay;
  phases::RowKills kills;
  std::vector<RefusedWrite> given;  // writes whose folders the model was given
  std::optional<phases::StartFacts> starts;
  std::optional<phases::WarmUpFacts> warm_up;
  std::optional<phases::RowFacts> row_pass;
  std::optional<phases::WorkersSeen> workers;  // where more than one process serves
  std::optional<phases::LoadFacts> load;
  std::optional<phases::PlateauFacts> plateau;
  std::optional<FatalGrowth> fatal_growth;  // that the model died of at the ceiling
  std::optional<phases::CpuChoice> cpu;
  std::optional<CpuKnee> knee;  // the ceiling of its cores since it was found
  phases::Reference reference;  // without a CPU limit, as seen so far; from the load on
  std::optional<phases::CurveFacts> curve;
  std::optional<CurvesLeftOut> curves_left_out;  // where they waited for the proof
  Bytes successors;                              // of workers, beyond the peak at the ceiling
  int in_flight = 1;  // of a rate, at the CPU limit that was found (Workload::in_flight)
  std::optional<phases::DistinctFacts> distinct;  // where seen rows are answered from memory
  std::optional<phases::HotFileFacts> hot_file;
  std::optional<phases::PoolFacts> pools;
  std::optional<phases::DeviceMemoryFacts> device;  // where it has some, and they were read
  std::optional<phases::Verification> verification;
  std::optional<phases::Tightness> tightness;
  std::optional<phases::SustainedFacts> sustained;
  std::int64_t most_tasks = 0;  // threads of the model at the ceiling
  Bytes mapped_file;            // the most that it mapped there, of files
  std::optional<ArenaTrial> arenas;
  std::chrono::seconds soak_asked{0};  // once the run has come to its end
  std::optional<phases::SoakFacts> soak;
  std::optional<phases::CaptureFacts> captures;  // where the model names a profiler server
  HostNoise noise;
  std::vector<ContainerFacts> containers;  // that are closed
  std::optional<std::string> cut_short;    // why the budget ended before the answer was proven
};

/// Whether memory was seen to grow with what is served.
inline bool Grows(const RunFacts& facts) {
  return facts.plateau && facts.plateau->trend == MemoryTrend::kGrowing;
}

}  // namespace mlprof::server
