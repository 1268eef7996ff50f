// What the answer must hold: the load, the latency and the share of errors.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace mlprof {

/// How the requests of a rate arrive: at random, as independent users make them; evenly spaced; or
/// at random with gaps of a gamma distribution, in bursts where `cv` is above 1.
struct Arrivals {
  enum class Kind { kPoisson, kConstant, kGamma };
  Kind kind = Kind::kPoisson;
  double cv = 1;  // of gamma gaps: their standard deviation by their mean; 1 is Poisson
  bool operator==(const Arrivals&) const = default;

  static const Arrivals kPoisson;
  static const Arrivals kConstant;
  static constexpr Arrivals Gamma(double cv) { return {Kind::kGamma, cv}; }
};
inline constexpr Arrivals Arrivals::kPoisson{Kind::kPoisson, 1};
inline constexpr Arrivals Arrivals::kConstant{Kind::kConstant, 1};

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
