// Where a profile's model is tried: launches it in fresh containers under stated limits and keeps
// what was seen of them. Used by the thread that runs the profile; what it is made of outlives it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/domain/row_source.h"
#include "common/time/monotonic_clock.h"
#include "server/devices/tpu/launch.h"
#include "server/profiling/budget/budget.h"
#include "server/profiling/budget/run_end.h"
#include "server/profiling/lab/container.h"
#include "server/profiling/lab/container_facts.h"
#include "server/profiling/lab/host_watch.h"
#include "server/profiling/lab/setup.h"
#include "server/profiling/progress/phase_tracker.h"
#include "server/profiling/progress/reporting.h"
#include "server/runtime/runtime.h"

namespace mlprof::server {

/// What is profiled. Fixed once it is prepared.
struct Subject {
  std::string profile_id;
  InferenceConfig config;
  PreparedImage image;
  std::vector<ContentInput> inputs;  // models and source
  std::string model_directory;       // AZUREML_MODEL_DIR inside the container
  Limits ceiling;
  HostFacts host;     // as it was before there was a container
  Bytes host_memory;  // what it can give one
  std::uint64_t seed = 1;
  bool keep_root_read_only = false;  // the model is given no folder that its config does not name
  std::vector<std::string> devices = {};  // every container's, by uuid
  tpu::TpuLaunch tpus = {};               // where these are TPU chips
};

class Lab {
 public:
  struct Parts {
    Runtime& runtime;
    const RowSource& rows;
    Budget& budget;
    HostWatch& host;
    Journal& journal;
    Announcer& announcer;
    PhaseTracker& phases;
    RunStop& run_stop;
    std::chrono::nanoseconds began;  // on the budget's clock: the times of series count from here
    const std::vector<InstrumentKind>& instruments;  // one of each observes every container
  };

  Lab(Parts parts, Subject subject);

  /// Launches a container with its agent connected; the model is not started yet. What the engine
  /// or the machine lacks ends the run without a verdict.
  PhaseResult<std::unique_ptr<Container>> Launch(const ContainerPlan& plan);
  /// Of the next container.
  Seed NextSeed() const { return Seed(subject_.seed + static_cast<std::uint64_t>(launches_) + 1); }

  void Record(Trial trial);
  void Record(std::span<const RowRecord> rows) { parts_.journal.Add(rows); }
  /// Beside the profile, as Journal::Keep.
  Status Keep(const NewArtifact& artifact) { return parts_.journal.Keep(artifact); }
  /// `fraction` within the phase, 0 to 1.
  void Progressed(double fraction, const std::string& message);
  const Subject& subject() const { return subject_; }
  const Limits& ceiling() const { return ceiling_; }
  /// From here on the model has no more cores than these, in any container.
  void LowerCeiling(Cores cpu) { ceiling_.Set(cpu); }
  const RowSource& rows() const { return parts_.rows; }
  Budget& budget() { return parts_.budget; }
  /// The machine of the container that was launched last.
  const HostFacts& machine() const { return machine_; }
  HostWatch& host() { return parts_.host; }
  const HostWatch& host() const { return parts_.host; }
  const MonotonicClock& clock() const { return parts_.budget.clock(); }
  /// As Runtime::HasFilesOfItsOwn.
  bool HasFilesOfItsOwn() const { return parts_.runtime.HasFilesOfItsOwn(); }
  bool stopped() const { return parts_.run_stop.token().stop_requested(); }
  /// What was seen of every container that is closed, in their order, but for those that a profiler
  /// recorded.
  const std::vector<ContainerFacts>& closed() const { return closed_; }
  /// What they wrote.
  const ContainerLogs& logs() const { return logs_; }

 private:
  friend class Container;

  Parts parts_;
  const Subject subject_;
  Limits ceiling_;
  HostFacts machine_;
  int launches_ = 0;
  int trials_ = 0;
  std::vector<ContainerFacts> closed_;
  ContainerLogs logs_;
};

}  // namespace mlprof::server
