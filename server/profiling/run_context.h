// What the phases of one run share: what was asked, where things are, and what was found so far.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "common/domain/dataset.h"
#include "common/domain/profile.h"
#include "common/time/deadline.h"
#include "server/analysis/recommend.h"
#include "server/profiling/run_recorder.h"
#include "server/replay/replay_plan.h"
#include "server/runtime/runtime.h"

namespace mlprof {

/// What the phases find, in the order they find it.
struct RunFindings {
  std::vector<Bytes> start_peaks;
  std::vector<double> start_seconds;
  std::vector<double> start_cpu_seconds;
  MeasuredNeed need;
  std::optional<double> reference_p95_ms;  // under the objective's load, without a CPU limit
  std::optional<Bytes> peak_memory;        // unreclaimable, over all runs, without the agent's own
  std::int64_t distinct_rows = 0;          // replayed so far
  std::vector<std::uint32_t> heavy_rows;   // what a verification must not leave out
  std::optional<double> cpu_seconds_per_query;
  std::vector<RequestRecord> serial_requests;  // one at a time, at the ceiling
  Cores chosen_cpu;                            // of the search in place
};

class RunContext {
 public:
  RunContext(const Rows& rows_given, Runtime& runtime_given, const MonotonicClock& clock_given,
             RunRecorder& recorder_given, std::stop_token stop_given)
      : rows(rows_given),
        runtime(runtime_given),
        clock(clock_given),
        recorder(recorder_given),
        stop(std::move(stop_given)) {}

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
  RunRecorder& recorder;
  std::stop_token stop;

  Limits ceiling;
  int host_cores = 0;
  std::string measuring_cpuset;  // of every launch but a verification's
  std::filesystem::path source_directory;
  std::vector<Mount> mounts;
  std::string model_directory;  // AZUREML_MODEL_DIR inside the container
  PreparedImage image;
  bool writable_root = false;
  int launches = 0;
  RunFindings findings;

 private:
  std::optional<Deadline> budget_;
};

}  // namespace mlprof
