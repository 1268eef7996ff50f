// What the answer must hold: the load, the latency and the share of errors.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace mlprof {

/// How requests of a rate arrive: at random, as independent users make them, or evenly spaced.
enum class Arrivals { kPoisson, kConstant };

/// Over which connections the rows go: as long as they last, a new one for each, or the one and
/// then the other.
enum class ConnectionUse { kKeepAlive, kPerRequest, kBoth };

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
  /// Seconds in which a container must be ready to serve. Absent: whatever the config's start
  /// timeout allows.
  std::optional<double> start_within_seconds;
  /// Absent until it is known whether more than one process serves: both then, else kept alive.
  std::optional<ConnectionUse> connections = {};

  int ConcurrencyOrOne() const { return concurrency.value_or(1); }
  /// Whether it asks for something that a model may miss without any limit: a rate, a latency, a
  /// start.
  bool CanBeMissedUnlimited() const {
    return requests_per_second || !latency_ms.empty() || start_within_seconds;
  }
  bool operator==(const Objective&) const = default;
};

}  // namespace mlprof
