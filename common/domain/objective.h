// What the answer must hold: the load, the latency and the share of errors.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlprof {

/// When recorded requests came. After the last of them and a mean gap the first comes again.
struct ArrivalTimes {
  std::vector<double> seconds;  // since the first, ascending; two or more, the last above 0

  double MeanGap() const { return seconds.back() / static_cast<double>(seconds.size() - 1); }
};

/// How the requests of a rate arrive: at random, as independent users make them; evenly spaced; at
/// random with gaps of a gamma distribution, in bursts where `cv` is above 1; or as recorded,
/// stretched to the rate.
struct Arrivals {
  enum class Kind { kPoisson, kConstant, kGamma, kTrace };
  Kind kind = Kind::kPoisson;
  double cv = 1;           // of gamma gaps: their standard deviation by their mean; 1 is Poisson
  std::string trace = {};  // id of the dataset of recorded times
  /// Of a trace, once its dataset was read: what is replayed, no part of what is asked for.
  std::shared_ptr<const ArrivalTimes> times = {};

  bool operator==(const Arrivals& other) const {
    return kind == other.kind && cv == other.cv && trace == other.trace;
  }

  static const Arrivals kPoisson;
  static const Arrivals kConstant;
  static Arrivals Gamma(double cv) { return {Kind::kGamma, cv}; }
  static Arrivals Trace(std::string dataset_id) { return {Kind::kTrace, 1, std::move(dataset_id)}; }
};
inline const Arrivals Arrivals::kPoisson{Kind::kPoisson, 1};
inline const Arrivals Arrivals::kConstant{Kind::kConstant, 1};

/// Over which connections the rows go: as long as they last, a new one for each, or the one and
/// then the other.
enum class ConnectionUse { kKeepAlive, kPerRequest, kBoth };

/// Requests that are rarer come one at a time, and a load of some seconds would hold none of them:
/// what they need is the objective without a rate.
inline constexpr double kLeastRequestsPerSecond = 0.1;
inline constexpr double kMostRequestsPerSecond = 1e6;  // over ten times what the replay can do

struct Objective {
  /// Requests in flight, closed loop. Absent with no rate means 1 (serial).
  std::optional<int> concurrency;
  /// Open loop, requests per second. Excludes `concurrency`.
  std::optional<double> requests_per_second;
  Arrivals arrivals = {};  // of a rate
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
