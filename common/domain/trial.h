// A trial: one run of rows at some limits in one container. A number without its conditions is not
// stored.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/measurements.h"
#include "common/time/timestamp.h"

namespace mlprof {

enum class TrialPurpose {
  kColdStart,
  kWarmUp,
  kRows,
  kLoad,  // the objective's load at the ceiling: the reference
  kVerification,
  kLoadCurve,    // a step of load at the ceiling, or at the answer: what it sustains
  kCpuProbe,     // the objective's load at a lower CPU limit, changed in place
  kMemoryProbe,  // a fresh container at a lower memory limit
  kThreadPools,  // a fresh container with the size of its thread pools set
  kTightness,    // one step below the answer: a fresh container, or the last one that held it
  kSoak,         // a stretch of a long load at the answer
  kArenas,       // a fresh container without or with a bound on malloc's arenas
  kDeviceMemory  // a fresh container with settings of how it takes device memory
};
std::string_view Name(TrialPurpose purpose);  // "coldStart", "warmUp", …
std::optional<TrialPurpose> ParseTrialPurpose(std::string_view name);

struct Trial {
  int number = 0;  // from 1, within its profile
  TrialPurpose purpose = TrialPurpose::kColdStart;
  Limits limits;
  int concurrency = 1;                             // of a closed loop
  std::optional<double> requests_per_second;       // of an open loop: as scheduled
  std::optional<double> send_lag_p99_ms;           // of an open loop: how late the replay sent
  std::map<std::string, std::string> environment;  // set on top of the inference config's
  Timestamp started;
  double seconds = 0;
  bool passed = false;
  std::string verdict;  // why it passed or failed, one sentence
  Measurements measurements;
};

/// What is known of one row of the dataset.
struct RowRecord {
  std::int64_t row = 0;  // zero-based index into the dataset
  Bytes size;
  int replays = 0;
  int status = 0;  // of the last replay: HTTP status, 0 where there was no response
  std::optional<double> latency_ms;       // median
  std::optional<double> service_time_ms;  // median, measured inside the container
  std::optional<double> cpu_ms;           // median
  std::optional<Bytes> peak_memory;       // rise above the resting level
  /// Of its first visit to the process, where it was visited again; the medians are of all others.
  std::optional<double> first_latency_ms = {};
  std::optional<double> first_cpu_ms = {};

  bool responded() const { return status >= 200 && status < 300; }
};

}  // namespace mlprof
