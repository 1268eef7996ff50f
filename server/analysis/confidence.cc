#include "server/analysis/confidence.h"

#include <algorithm>
#include <numeric>

namespace mlprof::server {
namespace {

// Three containers are what proves an answer (docs/decisions, 14). The two widths are chosen, not
// measured: the latencies' is half of what a limit may cost (kReferenceTolerance), the starts' is
// the margin on memory, which then still holds them.
constexpr int kAllPasses = 3;
constexpr int kSomePasses = 2;
constexpr double kNarrowLatency = 0.05;
constexpr double kNarrowStarts = 0.10;

}  // namespace

Confidence ConfidenceLabels::Of(ResourceKind kind) const {
  const Confidence* confidence = judged.Find(kind);
  return confidence != nullptr ? *confidence : Confidence::kLow;
}

Confidence ConfidenceLabels::LowestOf(const Limits& limits) const {
  Confidence lowest = Confidence::kHigh;
  for (const Amount& limit : limits.All()) {
    lowest = std::max(lowest, Of(limit.kind()));  // the enumerators go from high to low
  }
  return lowest;
}

ConfidenceLabels JudgeConfidence(const ConfidenceEvidence& evidence) {
  ConfidenceLabels labels;
  if (evidence.passes < kSomePasses || evidence.rows_failed) return labels;
  const bool proven = evidence.passes >= kAllPasses && evidence.enough_requests;
  if (!evidence.noisy) {
    const bool narrow = evidence.latency_spread <= kNarrowLatency && !evidence.from_cache;
    labels.judged.Set(ResourceKind::kCpu,
                      proven && narrow ? Confidence::kHigh : Confidence::kMedium);
  }
  // Noise is not asked here: other work on the host makes a model slow, not large.
  if (evidence.trend != MemoryTrend::kGrowing && !evidence.grows_with_inputs) {
    const bool flat = evidence.trend == MemoryTrend::kFlat &&
                      evidence.start_spread <= kNarrowStarts && !evidence.reads_pages_back &&
                      evidence.requests >= kRequestsForMemory;
    labels.judged.Set(ResourceKind::kMemory,
                      proven && flat ? Confidence::kHigh : Confidence::kMedium);
  }
  for (const ResourceKind kind : evidence.raised_by_noise) {
    labels.judged.Set(kind, Confidence::kLow);
  }
  return labels;
}

double HalfRange(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return mean > 0 ? (*high - *low) / 2 / mean : 0;
}

}  // namespace mlprof::server
