// How a load did beside the same load without a CPU limit. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/analysis/latency.h"

namespace mlprof::server {

/// Without a latency objective p95 may be so many times the one without a CPU limit.
inline constexpr double kReferenceTolerance = 1.10;
/// And in a closed loop this share of its requests must be served: rows far shorter than a period
/// hold their p95 at half the rate. Half of what p95 may lose, since a mean varies less.
inline constexpr double kThroughputTolerance = 0.95;
/// And p99 may be so many times that of the reference, and so many milliseconds longer: a quota
/// holds a request up by tens of milliseconds, a host's scheduler by one or two.
inline constexpr double kTailTolerance = 1.5;
inline constexpr double kTailSlackMs = 1;

/// A load that was measured.
struct Look {
  std::vector<Visit> visits;       // its requests that succeeded
  double requests_per_second = 0;  // of them
  std::optional<double> cpu_seconds_per_query = {};
};

/// The slowest requests of a run, beside the reference's.
struct Tail {
  double p99_ms = 0;
  double reference_p99_ms = 0;
  /// Requests that the quota stopped and that took longer than a p99 may; as a share of all.
  double stopped_share = 0;
  /// Likewise, longer than p95 may be slower: enough to be told.
  double slowed_share = 0;
  /// Both sides have the requests that p99 takes (299).
  bool counted = false;
  std::size_t requests = 0;  // of the run

  bool Fails() const { return counted && stopped_share > kShareOfTail; }
  bool Slowed() const { return slowed_share > kShareOfTail; }
  /// More requests might turn the verdict: of the 299 that count, 2 to 8 were too slow.
  bool InDoubt() const {
    return counted && stopped_share > kShareOfTail / 2 && stopped_share < 3 * kShareOfTail;
  }

 private:
  static constexpr double kShareOfTail = 0.01 + 1e-9;
};

/// Half a row in twenty. A percentile next to the edge between cheap and heavy rows is of the one
/// or the other by chance: where without a CPU limit what lies so far above p95 takes much longer
/// than what lies so far below it, the upper is judged in its place (docs/decisions, 34).
inline constexpr double kEdge = 0.025;

/// Figures of a run and of the references; absent where there are none.
struct BesideReference {
  std::optional<double> p95_ms;
  std::optional<double> reference_p95_ms;
  bool at_edge = false;        // these are of the heavy rows next to p95
  std::optional<double> rate;  // requests per second
  std::optional<double> reference_rate;
  std::optional<Tail> tail;
};

/// The run beside each reference over the rows that both have seen, each row counting equally; of
/// these comparisons the median one, the mean of the middle two. So neither the fastest look
/// decides nor one that other work disturbed, nor which rows a load happened to reach. A reference
/// counts from 59 requests on, which p95 takes, unless none has as many. Where each is short of the
/// 299 that p99 takes, they are one for it.
BesideReference Compare(const Look& run, std::span<const Look> references);

/// Whether p95 is beyond what it may be beside the reference, or too few requests were served.
bool IsSlow(const BesideReference& beside);

}  // namespace mlprof::server
