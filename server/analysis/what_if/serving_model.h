// A model's behaviour under load as far as a finished profile knows it, made to agree with what was
// measured, so that loads and limits that were not run can be simulated. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/trial.h"
#include "server/analysis/what_if/quota_queue.h"

namespace mlprof::server {

struct ServingModel {
  std::vector<RowWork> rows;
  ServerShape server;
  double cpu_ms = 0;  // of a request, mean
  Cores ceiling;
  /// "p50"… → measured over simulated latency, the median of the CPU probes (or of the load at the
  /// ceiling where nothing was probed).
  std::map<std::string, double> corrections;
};

/// Rows by their CPU time and latency (without them the fitted CPU curve, or the means of the
/// load); parallelism of one request by the CPU curve; workers and the cores they can use by the
/// load curve, whichever agree best with its throughputs. nullopt where the profile measured
/// neither.
std::optional<ServingModel> CalibrateServingModel(const Profile& profile,
                                                  std::span<const Trial> trials,
                                                  std::span<const RowRecord> rows);

/// Requests of the objective's load at a CPU limit; the same every time.
QueueOutcome SimulateLoad(const ServingModel& model, const Objective& load, Cores cpu,
                          std::int64_t requests);

/// A percentile of the outcome ("p50" | "p90" | "p95" | "p99"), corrected; 0 of no requests.
double CorrectedMs(const ServingModel& model, const QueueOutcome& outcome, const std::string& key);

/// The ceiling's cores, the host's where the request names none, 1 where neither is known.
Cores CpuCeiling(const Profile& profile);

/// The cores that the load curve was measured with: the ceiling's, or the knee's of a model that
/// scales over them.
Cores CpuOfLoadCurve(const Profile& profile, std::span<const Trial> trials);

/// The measurements of the objective's load at the ceiling, or else of the answer.
std::optional<Measurements> LoadMeasurements(const Profile& profile, std::span<const Trial> trials);

}  // namespace mlprof::server
