#include "server/profiling/run/answer.h"

#include <algorithm>

#include "server/analysis/confidence.h"
#include "server/profiling/lab/replay_plans.h"

namespace mlprof::server {
namespace {

using phases::LimitedRun;
using phases::Proof;

// Enough requests for the objective's percentiles, given how many of them were too slow.
bool EnoughRequests(const Objective& objective, const std::vector<std::uint32_t>& latencies) {
  if (latencies.size() < RequestsToSee(objective)) return false;
  return std::all_of(
      objective.latency_ms.begin(), objective.latency_ms.end(), [&](const auto& limit) {
        const auto over = std::count_if(latencies.begin(), latencies.end(),
                                        [&](std::uint32_t us) { return us > limit.second * 1000; });
        return HoldsWithConfidence(latencies.size(), static_cast<std::size_t>(over),
                                   QuantileOfKey(limit.first).value_or(1));
      });
}

// Rows that were not replayed say as little as rows that failed.
bool RowsAreMissing(const RunFacts& facts) {
  return !facts.kills.rows.empty() || (facts.warm_up && facts.warm_up->failed) ||
         (facts.load && facts.load->failed) ||
         (facts.row_pass && (facts.row_pass->failed || facts.row_pass->sampled));
}

ConfidenceLabels Confidences(const RunFacts& facts, const Proof& proof) {
  ConfidenceEvidence evidence;
  evidence.passes = static_cast<int>(proof.passes.size());
  evidence.noisy = facts.noise.noisy;
  evidence.rows_failed = RowsAreMissing(facts);
  evidence.enough_requests = true;
  std::vector<double> means;
  for (const LimitedRun& run : proof.passes) {
    evidence.enough_requests &= EnoughRequests(facts.objective, run.latencies);
    means.push_back(run.trial.measurements.average_latency_ms.value_or(0));
  }
  evidence.latency_spread = HalfRange(means);
  if (facts.plateau) evidence.trend = facts.plateau->trend;
  const MeasuredNeed need = NeedOf(facts);
  if (const Bytes floor = need.memory.Floor(); floor > Bytes()) {
    evidence.start_spread =
        static_cast<double>(need.memory.start_spread.count()) / static_cast<double>(floor.count());
  }
  return JudgeConfidence(evidence);
}

void AddConfidence(const ConfidenceLabels& labels, Recommendation& answer) {
  answer.confidence = labels.LowestOf(answer.requested);
  for (const ResourceKind kind : kResources) {
    if (Bound* bound = answer.bounds.Find(kind)) bound->confidence = labels.Of(kind);
  }
}

void AddSustained(const RunFacts& facts, const Proof& proof, Recommendation& answer) {
  if (!facts.objective.requests_per_second) {
    answer.max_concurrency = facts.objective.ConcurrencyOrOne();
  }
  answer.max_requests_per_second = LoadOf(proof, facts.objective).requests_per_second;
  if (!facts.sustained) return;
  if (facts.sustained->concurrency) answer.max_concurrency = facts.sustained->concurrency;
  if (const auto rate = facts.sustained->requests_per_second) {
    answer.max_requests_per_second = std::max(answer.max_requests_per_second.value_or(0), *rate);
  }
  if (facts.sustained->unsteady) AddConfidence({}, answer);
}

}  // namespace

MeasuredNeed NeedOf(const RunFacts& facts) {
  std::vector<phases::NeedSeen> seen;
  if (facts.warm_up) seen.push_back(facts.warm_up->need);
  if (facts.row_pass) seen.push_back(facts.row_pass->need);
  if (facts.load) seen.push_back(facts.load->need);
  const MeasuredNeed start = facts.starts ? NeedOfStart(*facts.starts) : MeasuredNeed();
  MeasuredNeed need = phases::NeedOf(start, facts.objective, seen);
  if (facts.plateau)
    need.memory.serving_peak = std::max(need.memory.serving_peak, facts.plateau->serving_peak);
  if (facts.hot_file) need.memory.hot_file = facts.hot_file->hot_file.value_or(Bytes());
  return need;
}

Limits UnprovenLimits(const RunFacts& facts) {
  Limits limits = FirstAnswer(NeedOf(facts), facts.host.ceiling);
  if (facts.cpu) limits.Set(facts.cpu->cpu);
  if (facts.pools && facts.pools->cpu) limits.Set(*facts.pools->cpu);
  return limits;
}

const Proof* ProofOf(const RunFacts& facts) {
  if (facts.tightness) return &facts.tightness->proof;
  if (facts.verification && facts.verification->proof) return &*facts.verification->proof;
  return nullptr;
}

phases::ProvenLoad LoadOf(const Proof& proof, const Objective& objective) {
  phases::ProvenLoad load{objective.requests_per_second};
  for (const LimitedRun& run : proof.passes) {
    const auto rate = run.trial.measurements.queries_per_second;
    if (rate) load.requests_per_second = std::min(load.requests_per_second.value_or(*rate), *rate);
  }
  return load;
}

std::optional<Recommendation> AnswerOf(const RunFacts& facts) {
  if (!facts.warm_up) return std::nullopt;
  Limits limits = UnprovenLimits(facts);
  std::vector<FailedTry> failed;
  if (facts.verification) {
    limits = facts.verification->limits;
    failed = facts.verification->failed;
  }
  if (facts.tightness) {
    limits = facts.tightness->proof.limits;
    failed = facts.tightness->failed;
  }
  Recommendation answer = Recommend(limits, NeedOf(facts), facts.host.ceiling, failed);
  if (facts.pools && facts.pools->found.adopted) {
    answer.environment_variables = facts.pools->found.environment;
  }
  const Proof* proof = ProofOf(facts);
  if (proof == nullptr) return answer;
  answer.verified = true;
  if (facts.tightness) answer.tight = facts.tightness->tight;
  AddConfidence(Confidences(facts, *proof), answer);
  AddSustained(facts, *proof, answer);
  return answer;
}

}  // namespace mlprof::server
