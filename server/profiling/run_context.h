// What the phases of one run share: what was asked, where things are, and what was found so far.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "common/domain/dataset.h"
#include "common/domain/profile.h"
#include "common/time/deadline.h"
#include "server/analysis/memory_windows.h"
#include "server/analysis/recommend.h"
#include "server/profiling/host_load.h"
#include "server/profiling/run_recorder.h"
#include "server/replay/replay_plan.h"
#include "server/runtime/runtime.h"

namespace mlprof {

/// What the phases see, in the order they see it. What is said of it to the user is in the
/// profile's findings.
struct Observations {
  std::vector<Bytes> start_peaks;
  std::vector<double> start_seconds;
  std::vector<double> start_cpu_seconds;
  MeasuredNeed need;
  std::optional<double> reference_p95_ms;   // under the objective's load, without a CPU limit
  std::optional<double> reference_mean_ms;  // likewise
  double reference_error_share = 0;         // likewise, of the requests
  std::set<std::uint32_t> failing_rows;     // likewise
  std::optional<Bytes> peak_memory;         // unreclaimable, over all runs, without the agent's own
  std::optional<std::uint32_t> last_row;    // that the model took, one at a time
  bool last_row_broke = false;              // its connection did
  double slowest_row_ms = 0;                // at the ceiling
  std::int64_t distinct_rows = 0;           // replayed so far
  std::vector<std::uint32_t> heavy_rows;    // what a verification must not leave out
  std::optional<double> cpu_seconds_per_query;
  std::vector<RequestRecord> serial_requests;  // one at a time, at the ceiling
  std::optional<Cores> chosen_cpu;             // of the search in place
  std::vector<RequestStretch> serving;         // of the ample container, for the memory's trend
  agent_protocol::Ready ready;                 // of the ample container
  double throttled_at_choice = 0;              // throttled share at `chosen_cpu`
  bool noisy = false;                          // the host was, in some phase
  std::vector<FailedTry> failed_tries;         // of the verification
};

class RunContext {
 public:
  RunContext(const Rows& rows_given, Runtime& runtime_given, const MonotonicClock& clock_given,
             HostLoadReader read_host_load_given, RunRecorder& recorder_given,
             RunStop& run_stop_given)
      : rows(rows_given),
        runtime(runtime_given),
        clock(clock_given),
        read_host_load(std::move(read_host_load_given)),
        recorder(recorder_given),
        run_stop(run_stop_given),
        stop(run_stop.token()) {}

  Profile& profile() { return recorder.profile(); }
  const Objective& objective() { return recorder.profile().request.objective; }
  const InferenceConfig& config() { return *recorder.profile().request.inference_config; }

  /// The budget runs from the first start of the model's container.
  void StartBudget() {
    if (!budget_) budget_ = Deadline::After(profile().request.budget);
    recorder.ExpectEnd(budget_->when());
  }
  Deadline budget() { return budget_.value_or(Deadline::After(profile().request.budget)); }
  std::chrono::nanoseconds BudgetShare(double share) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(
        share * static_cast<double>(std::chrono::nanoseconds(profile().request.budget).count())));
  }

  const Rows& rows;
  Runtime& runtime;
  const MonotonicClock& clock;
  const HostLoadReader read_host_load;
  RunRecorder& recorder;
  RunStop& run_stop;
  const std::stop_token stop;

  Limits ceiling;
  int host_cores = 0;
  Bytes host_memory;             // what the host can give a container
  std::string measuring_cpuset;  // of every launch but a verification's
  std::filesystem::path source_directory;
  std::vector<Mount> mounts;
  std::string model_directory;  // AZUREML_MODEL_DIR inside the container
  PreparedImage image;
  bool writable_root = false;
  int launches = 0;
  std::set<std::uint32_t> left_out;                // rows that end the model
  std::map<std::string, std::string> environment;  // set on top of the inference config's
  Observations observed;

 private:
  std::optional<Deadline> budget_;
};

}  // namespace mlprof
