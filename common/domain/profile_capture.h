// A device trace that a profile took of its model while rows were replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/limits.h"
#include "common/units/bytes.h"

namespace mlprof {

enum class CaptureLoad {
  kAlone,      // rows one at a time
  kObjective,  // the objective's load
};
/// "alone", "objective": stable.
std::string_view Name(CaptureLoad load);
std::optional<CaptureLoad> ParseCaptureLoad(std::string_view name);

/// Of rows that were answered, and did not fail.
struct RowLatencies {
  std::int64_t rows = 0;
  std::optional<double> p50_ms;  // absent without a row
  std::optional<double> p95_ms;
  bool operator==(const RowLatencies&) const = default;
};

/// A row of the trace, and the operation that took most of its time; means over its visits.
struct CapturedRow {
  std::int64_t row = 0;
  std::int64_t visits = 0;  // that began and ended while it was recorded
  double latency_ms = 0;
  std::string op;         // "dot.1"; "" where none ran
  double op_percent = 0;  // of the row's time; above 100 where several threads or devices ran it
  double others_in_flight = 0;  // rows beside it, whose operations are told with its own
  bool operator==(const CapturedRow&) const = default;
};

/// What costs the model most on its device, as a trace tells it.
struct CapturedCosts {
  std::string most;  // "input", "padding", "precision", "none", "unknown"
  std::optional<double> duty_cycle_percent;
  std::optional<double> input_percent;  // of the steps' time
  std::vector<std::string> advice;      // on padding and on precision
  bool operator==(const CapturedCosts&) const = default;
};

struct ProfileCapture {
  std::string id;    // "sha256:…", as of every capture
  std::string name;  // of the artifact that it is: "alone.xplane.pb"
  CaptureLoad load = CaptureLoad::kAlone;
  std::optional<int> concurrency;  // rows in flight; absent with a rate
  std::optional<double> requests_per_second;
  Limits limits;  // of its container
  Bytes size;
  double seconds = 0;  // that were asked for
  std::int64_t events = 0;
  RowLatencies before;  // as long, in the same container, just before it was recorded
  RowLatencies during;
  std::vector<CapturedRow> slowest_rows = {};  // the slowest first; none where none is found in it
  std::optional<CapturedCosts> costs = {};     // absent without a device
  bool operator==(const ProfileCapture&) const = default;
};

}  // namespace mlprof
