// What the answer must hold: the load, the latency and the share of errors.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace mlprof {

/// How requests of a rate arrive: at random, as independent users make them, or evenly spaced.
enum class Arrivals { kPoisson, kConstant };

struct Objective {
  /// Requests in flight, closed loop. Absent with no rate means 1 (serial).
  std::optional<int> concurrency;
  /// Open loop, requests per second. Excludes `concurrency`.
  std::optional<double> requests_per_second;
  Arrivals arrivals = Arrivals::kPoisson;  // of a rate
  /// "p50" | "p90" | "p95" | "p99" → milliseconds.
  std::map<std::string, double> latency_ms;
  /// Share of requests that may fail, 0 to 1.
  double max_error_rate = 0;

  int ConcurrencyOrOne() const { return concurrency.value_or(1); }
  bool operator==(const Objective&) const = default;
};

}  // namespace mlprof
