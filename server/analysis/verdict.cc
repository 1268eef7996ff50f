#include "server/analysis/verdict.h"

#include <utility>

#include "server/analysis/heap.h"
#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// Pages that were read again, 200 MB of them: far more than a start reads once.
constexpr std::int64_t kThrashing = 50'000;
constexpr double kRateRounding = 1e-6;

Verdict Failed(std::optional<ResourceKind> shortage, std::string sentence) {
  return {false, shortage, std::move(sentence), false};
}

// What the model itself says of its memory, where it does.
Verdict WithFullHeap(Verdict verdict, const std::string& words) {
  if (words.empty()) return verdict;
  verdict.shortage = ResourceKind::kMemory;
  // How it died may have told them.
  if (verdict.sentence.find(words) == std::string::npos) {
    verdict.sentence += "; its heap was full: " + words;
  }
  return verdict;
}

Verdict JudgeErrors(const VerificationEvidence& evidence, double error_rate,
                    double max_error_rate) {
  Verdict verdict =
      Failed(std::nullopt, Sentence("%.2f%% of the requests failed, %.2f%% are allowed",
                                    error_rate * 100, max_error_rate * 100));
  if (evidence.new_failures > 0 && !evidence.full_heap.empty()) {
    return WithFullHeap(std::move(verdict), evidence.full_heap);
  }
  const auto& usual = evidence.reference_error_share;
  const bool throttled = evidence.throttled_share.value_or(0) >= kUnboundShare;
  const bool more = evidence.new_failures >= kFewestNewFailures &&
                    error_rate > kErrorTolerance * usual.value_or(0);
  verdict.unexplained = usual && more;
  if (verdict.unexplained && throttled) {
    verdict.shortage = ResourceKind::kCpu;
    verdict.slow = true;
    verdict.sentence += Sentence("; %.2f%% failed without a CPU limit", *usual * 100);
  }
  return verdict;
}

std::optional<Verdict> JudgeSurvival(const VerificationEvidence& evidence, double max_error_rate) {
  if (evidence.oom_kills > 0) {
    return Failed(ResourceKind::kMemory, "the kernel killed the model for memory at this limit");
  }
  if (!evidence.became_ready && evidence.start_timed_out && evidence.read_back.pages > kThrashing) {
    return Failed(
        ResourceKind::kMemory,
        Sentence("the model was not ready in time at this limit; %lld pages had to be read again",
                 static_cast<long long>(evidence.read_back.pages)));
  }
  if (!evidence.became_ready && evidence.start_timed_out) {
    Verdict late =
        Failed(ResourceKind::kCpu, "the model started too slowly at this limit: " + evidence.death);
    late.slow = late.misses_objective = late.late_start = evidence.start_has_objective;
    return late;
  }
  if (!evidence.became_ready) {
    return Failed(ResourceKind::kMemory,
                  "the model did not start at this limit: " + evidence.death);
  }
  if (evidence.died) {
    return WithFullHeap(Failed(std::nullopt, "the model died: " + evidence.death),
                        evidence.full_heap);
  }
  if (!evidence.full_heap_in_burst.empty()) {
    return WithFullHeap(Failed(std::nullopt, "rows that met failed at this limit"),
                        evidence.full_heap_in_burst);
  }
  if (evidence.failed_in_burst) {
    return Failed(std::nullopt, "rows that met were answered by an error with these settings");
  }
  if (evidence.stalled) return std::nullopt;
  if (evidence.requests == 0) return Failed(std::nullopt, "no request was answered");
  const double error_rate =
      static_cast<double>(evidence.failures) / static_cast<double>(evidence.requests);
  if (error_rate > max_error_rate) return JudgeErrors(evidence, error_rate, max_error_rate);
  return std::nullopt;
}

struct Slowness {
  std::string sentence;
  bool misses_objective;  // rather than being slower than the reference alone
  std::optional<Tail> tail = {};
};

// Slower than the same load without a CPU limit; asked where the objective has no latency.
std::optional<Slowness> SlowerThanReference(const VerificationEvidence& evidence,
                                            const LatencyDistribution& latencies) {
  const double p95 = evidence.p95_ms.value_or(latencies.QuantileMs(0.95).value_or(0));
  if (evidence.reference_p95_ms && p95 > kReferenceTolerance * *evidence.reference_p95_ms) {
    return Slowness{Sentence("%s %.1f ms, against %.1f ms without a CPU limit",
                             evidence.at_edge ? "the heavy rows next to p95 took" : "p95 was", p95,
                             *evidence.reference_p95_ms),
                    false};
  }
  if (evidence.rate && evidence.reference_rate &&
      *evidence.rate < kThroughputTolerance * *evidence.reference_rate - kRateRounding) {
    return Slowness{Sentence("%.1f requests/s were served, against %.1f without a CPU limit",
                             *evidence.rate, *evidence.reference_rate),
                    false};
  }
  if (evidence.tail && evidence.tail->Fails()) {
    return Slowness{
        Sentence("p99 was %.1f ms, against %.1f ms without a CPU limit: the quota stopped %.1f%% "
                 "of the requests for longer than that allows",
                 evidence.tail->p99_ms, evidence.tail->reference_p99_ms,
                 evidence.tail->stopped_share * 100),
        false, evidence.tail};
  }
  return std::nullopt;
}

// Why a run that survived was too slow; nullopt where it was not.
std::optional<Slowness> TooSlow(const VerificationEvidence& evidence,
                                const LatencyDistribution& latencies, const Objective& objective) {
  if (evidence.stalled)
    return Slowness{"rows were not answered in many times their usual time", true};
  if (evidence.hopeless_from_ms) {
    return Slowness{Sentence("none of %lld requests took less than %.1f ms",
                             static_cast<long long>(evidence.requests), *evidence.hopeless_from_ms),
                    !objective.latency_ms.empty()};
  }
  for (const auto& [key, limit_ms] : objective.latency_ms) {
    const double measured = latencies.QuantileMs(QuantileOfKey(key).value_or(1)).value_or(0);
    if (measured <= limit_ms) continue;
    return Slowness{
        Sentence("%s was %.1f ms, %.1f ms are allowed", key.c_str(), measured, limit_ms), true};
  }
  if (evidence.scheduled_rate && evidence.measured_rate < kRateServed * *evidence.scheduled_rate) {
    return Slowness{Sentence("%.1f of %.1f requests/s were served", evidence.measured_rate,
                             *evidence.scheduled_rate),
                    true};
  }
  if (objective.latency_ms.empty()) return SlowerThanReference(evidence, latencies);
  return std::nullopt;
}

Verdict JudgeSlow(const VerificationEvidence& evidence, const Slowness& slowness) {
  Verdict verdict = Failed(ResourceKind::kCpu, slowness.sentence);
  const bool unbound = evidence.throttled_share && *evidence.throttled_share < kUnboundShare;
  if (evidence.read_back.often()) {
    verdict.shortage = ResourceKind::kMemory;
    verdict.sentence += Sentence("; %lld pages had to be read again",
                                 static_cast<long long>(evidence.read_back.pages));
  } else if (evidence.collecting_cost && *evidence.collecting_cost >= kCollectingCost) {
    verdict.shortage = ResourceKind::kMemory;
    verdict.collecting_cost = evidence.collecting_cost;
    verdict.sentence += Sentence(
        "; a request took %.1f times the CPU it takes with all memory, as a heap does that is "
        "nearly full",
        *evidence.collecting_cost);
  } else if (unbound && slowness.misses_objective) {
    verdict.shortage.reset();
    verdict.sentence += "; more CPU would not change it";
  } else if (unbound) {
    return {true, std::nullopt, slowness.sentence + ", but the limit did not hold it back"};
  }
  verdict.slow = true;
  verdict.misses_objective = slowness.misses_objective;
  verdict.beside_reference = verdict.shortage == ResourceKind::kCpu && !slowness.misses_objective;
  if (verdict.beside_reference) verdict.tail = slowness.tail;
  return verdict;
}

}  // namespace

Verdict Judge(const VerificationEvidence& evidence, const LatencyDistribution& latencies,
              const Objective& objective) {
  if (auto verdict = JudgeSurvival(evidence, objective.max_error_rate)) return *verdict;
  if (latencies.count() == 0 && !evidence.stalled) {
    return Failed(std::nullopt, "no request was answered in time");
  }
  if (const auto slowness = TooSlow(evidence, latencies, objective)) {
    return JudgeSlow(evidence, *slowness);
  }
  const double p95 = latencies.QuantileMs(0.95).value_or(0);
  Verdict verdict{true, std::nullopt,
                  Sentence("%lld requests, p95 %.1f ms, no failure beyond the allowed",
                           static_cast<long long>(evidence.requests), p95)};
  if (evidence.tail && evidence.tail->Slowed()) verdict.tail = evidence.tail;
  return verdict;
}

}  // namespace mlprof::server
