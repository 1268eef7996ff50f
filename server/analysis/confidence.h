// How sure a number is, from what stands behind it, and why. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/domain/findings.h"
#include "common/domain/recommendation.h"
#include "server/analysis/cpu_doubt.h"

namespace mlprof::server {

/// With the answer's memory, and no kill: one befalls one request in 1,000 at most (3/N at 95%
/// confidence).
inline constexpr std::int64_t kRequestsForMemory = 3000;

struct ConfidenceEvidence {
  int passes = 0;                // fresh containers that held the objective at exactly the answer
  bool enough_requests = false;  // in each, for the objective's percentile at 95%
  std::int64_t requests = 0;     // with the answer's memory or less, all containers together
  bool killed = false;           // for memory, in a container that had as much and less CPU
  bool noisy = false;
  bool rows_failed = false;  // or ended the model
  /// Half the range of the passes' mean latencies, by their mean.
  double latency_spread = 0;
  MemoryTrend trend = MemoryTrend::kUnknown;
  bool grows_with_inputs = false;  // memory, with every distinct row
  bool reads_pages_back = false;   // of its files, in a container that held: more than a page a row
  bool from_cache = false;         // rows that were seen are: each container saw few that were not
  double start_spread = 0;         // largest minus median start peak, by the need
  std::optional<Cores> cpu_in_doubt = {};          // analysis/cpu_doubt.h
  std::optional<ProvenTails> tails_in_doubt = {};  // likewise
  /// Whose limit nothing but disturbed runs raised.
  std::vector<ResourceKind> raised_by_noise;
};

struct ConfidenceLabel {
  Confidence confidence = Confidence::kLow;
  /// What keeps it from being surer, as clauses; where nothing does, what it rests on.
  std::string because = {};
};

struct ConfidenceLabels {
  PerResource<ConfidenceLabel> judged;

  /// Low of what was not judged.
  ConfidenceLabel Of(ResourceKind kind) const;
  /// The lowest of those that `limits` have.
  Confidence LowestOf(const Limits& limits) const;
};

/// Low: fewer than two passes, a noisy host, rows that failed, memory that grows, with requests or
/// with distinct rows, a kill with as much of it, or a limit that noise raised. High: three passes
/// with enough requests and, for CPU, latencies within 5% of each other, no response cache and no
/// limit that a few of the slowest requests decided, for memory, a flat trend, starts within 10% of
/// each other, no files read back for want of it and kRequestsForMemory. Medium otherwise.
ConfidenceLabels JudgeConfidence(const ConfidenceEvidence& evidence);

/// Of an answer that is not proven: what fell short on the way to it.
struct UnprovenEvidence {
  bool noisy = false;
  bool rows_failed = false;  // or ended the model, or were not replayed
  bool grows = false;        // memory, with requests or with distinct rows
  int short_of_cpu = 0;      // tries with no more than the answer's
  // With just the answer's memory:
  int short_of_memory = 0;
  int content_with_memory = 0;   // and short of CPU
  bool files_of_others = false;  // what held did not pay for all of its files
};

/// Low, but for memory that two tries and more were content with: medium. Says of each number
/// whether it is the one that fell short.
ConfidenceLabels JudgeUnproven(const UnprovenEvidence& evidence);

/// Low, of every resource.
ConfidenceLabels UnsureBecause(const std::string& why);

/// Half the range of `values` by their mean; 0 for fewer than two.
double HalfRange(std::span<const double> values);

}  // namespace mlprof::server
