// A trial: one run of rows at some limits in one container. A number without its conditions is not
// stored.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/measurements.h"
#include "common/time/timestamp.h"

namespace mlprof {

enum class TrialPurpose { kColdStart, kWarmUp, kRows, kLoad, kVerification };
std::string_view Name(TrialPurpose purpose);  // "coldStart", "warmUp", …
std::optional<TrialPurpose> ParseTrialPurpose(std::string_view name);

struct Trial {
  int number = 0;  // from 1, within its profile
  TrialPurpose purpose = TrialPurpose::kColdStart;
  Limits limits;
  int concurrency = 1;
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
  int status = 0;                    // of the last replay: HTTP status, 0 where there was no answer
  std::optional<double> latency_ms;  // median
  std::optional<double> service_time_ms;  // median, measured inside the container
  std::optional<double> cpu_ms;           // median
  std::optional<Bytes> peak_memory;       // rise above the resting level
};

}  // namespace mlprof
