// Whether a run at the recommended limits held the objective, and if not, what was short. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/domain/measurements.h"
#include "common/domain/objective.h"
#include "server/analysis/beside_reference.h"
#include "server/analysis/latency.h"
#include "server/analysis/recommend.h"

namespace mlprof::server {

/// The share of a rate that was due which a model that keeps up may have served when a short run
/// ends. Chosen, not measured.
inline constexpr double kRateServed = 0.98;

/// Where the quota throttled less than this share of the periods it was not binding.
inline constexpr double kUnboundShare = 0.01;

/// What fails is the limit's doing where it is more than so many times what fails without a limit:
/// a short run holds a part of the rows only.
inline constexpr double kErrorTolerance = 2;
/// Fewer failures may be chance.
inline constexpr std::int64_t kFewestNewFailures = 3;

/// Of file pages, a request. Chosen between 9 to 19, beside which the same limit held and failed by
/// turns, and over 600.
inline constexpr std::int64_t kFewPages = 100;

/// File pages that had to be read again, and the requests that came meanwhile.
struct PagesReadBack {
  std::int64_t pages = 0;
  std::int64_t requests = 0;

  /// Over one a request, or any where none came: memory was taken too early.
  bool often() const { return pages > requests; }
  /// A model that thrashes reads many times as many.
  bool few() const { return pages < kFewPages * requests; }
};

struct VerificationEvidence {
  bool became_ready = false;
  bool start_timed_out = false;      // it still ran, and was not ready in time
  bool start_has_objective = false;  // that time is what the objective allows
  std::int64_t oom_kills = 0;
  bool died = false;  // the command ended without an oom kill
  std::string death;  // how, where known
  std::int64_t requests = 0;
  std::int64_t failures = 0;      // no response, or not 2xx
  std::int64_t new_failures = 0;  // of them, of rows that did not fail without a CPU limit
  std::optional<double> throttled_share;
  std::optional<double> reference_p95_ms;  // without a CPU limit, same profile
  std::optional<double> p95_ms;            // over the reference's rows; absent: over all
  bool at_edge = false;                    // both are of the heavy rows next to p95
  std::optional<double> rate;              // of a closed loop, in requests per second
  std::optional<double> reference_rate;
  std::optional<Tail> tail;
  std::optional<double> reference_error_share;  // likewise: of the requests, how many failed
  /// Of its fastest request, where the load ended early because it could not hold any more.
  std::optional<double> hopeless_from_ms = {};
  bool stalled = false;  // rows stood unanswered until the run was given up
  /// By which the model said that its heap was full, in a response or its log; "" where it did not.
  std::string full_heap = {};
  /// Likewise, in a burst of rows that met before the load, of a row that fails only at the limit.
  std::string full_heap_in_burst = {};
  /// Likewise with a 5xx, under settings that the model has not had without a limit.
  bool failed_in_burst = false;
  /// CPU a request, so many times that with all memory there is; of a model that uses less of it
  /// than there (server/analysis/heap.h).
  std::optional<double> collecting_cost = {};
  /// The same of any model, whatever memory it uses.
  std::optional<double> cost_of_ceiling = {};
  PagesReadBack read_back = {};          // while the rows were replayed
  std::optional<double> scheduled_rate;  // requests per second that were to be served
  double measured_rate = 0;              // and were
};

struct Verdict {
  bool passed = false;
  std::optional<ResourceKind> shortage;  // what to raise; absent with a failure no limit can mend
  std::string sentence;
  bool slow = false;              // it failed for what other work on the host may have cost
  bool beside_reference = false;  // of that: slower than the reference, and nothing else
  bool misses_objective = false;  // of that: too slow for the objective's rate, latency or start
  bool late_start = false;        // of that: not ready within what the objective allows
  bool fresh = false;             // it is of the part with a connection for each request
  /// Memory is short by what a request costs there (VerificationEvidence::collecting_cost).
  std::optional<double> collecting_cost = {};
  bool unreached = false;  // it failed because a process that serves had no row
  /// More rows failed than without a CPU limit, and the model does not say why.
  bool unexplained = false;
  /// What its slowest requests were, where the quota stopped them and the run passed, or where
  /// nothing else made it fail.
  std::optional<Tail> tail = {};

  /// Slow, and short of memory for the pages of files that it read back.
  bool slow_by_pages() const {
    return slow && shortage == ResourceKind::kMemory && !collecting_cost;
  }
};

/// The rules, in order: an OOM kill is a shortage of memory; not being ready in time one of CPU,
/// and ending before one of memory; a death without an OOM kill or more errors than allowed is
/// nobody's limit, unless the quota throttled and errors are far more than without one: a server
/// that turns requests away is short of CPU, and one that says that its heap is full is short of
/// memory, as is one that is slow because it collects garbage; then each latency objective. With
/// none the run must be as the reference is: p95 within 1.10 ×, in a closed loop throughput from
/// 0.95 × on, and, of both sides with 299 requests, p99 within 1.5 × and 1 ms, for which those
/// requests alone count during which the quota stopped the container. A model that stalls, or is
/// not ready in time while it reads its pages again and again, is short of memory. A rate must be
/// served to 98%. A run that is too slow while it reads pages back that it had had (more than one a
/// request) is short of memory, not of CPU. Where the quota throttled less than 1% of the periods
/// it was not binding: the run was then as fast as without a limit, and a slow wall clock is the
/// host's noise.
Verdict Judge(const VerificationEvidence& evidence, const LatencyDistribution& latencies,
              const Objective& objective);

}  // namespace mlprof::server
