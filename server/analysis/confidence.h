// How sure a number is, from what stands behind it. Pure.
#pragma once

#include <span>

#include "common/domain/findings.h"
#include "common/domain/recommendation.h"

namespace mlprof::server {

struct ConfidenceEvidence {
  int passes = 0;                // fresh containers that held the objective at exactly the answer
  bool enough_requests = false;  // in each, for the objective's percentile at 95%
  bool noisy = false;
  bool rows_failed = false;  // or ended the model
  /// Half the range of the passes' mean latencies, by their mean.
  double latency_spread = 0;
  MemoryTrend trend = MemoryTrend::kUnknown;
  double start_spread = 0;  // largest minus median start peak, by the need
};

struct ConfidenceLabels {
  PerResource<Confidence> judged;

  /// Low of what was not judged.
  Confidence Of(ResourceKind kind) const;
  /// The lowest of those that `limits` have.
  Confidence LowestOf(const Limits& limits) const;
};

/// Low: fewer than two passes, a noisy host, rows that failed, or growing memory. High: three
/// passes with enough requests and, for CPU, latencies within 5% of each other, for memory, a flat
/// trend and starts within 10% of each other. Medium otherwise.
ConfidenceLabels JudgeConfidence(const ConfidenceEvidence& evidence);

/// Half the range of `values` by their mean; 0 for fewer than two.
double HalfRange(std::span<const double> values);

}  // namespace mlprof::server
