#include "server/profiling/run/answer_confidence.h"

#include <algorithm>

#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/proven.h"
#include "server/profiling/run/settings.h"

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

// How far the peaks of the starts lie above their median, at the ceiling, where there may be one
// alone, or in the proof: what a model takes may differ between the two.
Bytes SpreadOfStarts(const RunFacts& facts, const Proof& proof) {
  std::vector<Bytes> proven;
  for (const LimitedRun& run : proof.passes) {
    if (const auto peak = run.trial.measurements.start_peak_memory) proven.push_back(*peak);
  }
  return std::max(NeedOf(facts).memory.start_spread, phases::SpreadOf(std::move(proven)));
}

// What the search refused counts beside what failed in a container of its own.
std::vector<FailedTry> FailedForCpu(const RunFacts& facts, const std::vector<FailedTry>& failed) {
  std::vector<FailedTry> all = failed;
  if (facts.cpu && facts.cpu->tail_refused) {
    const phases::TailRefusal& refused = *facts.cpu->tail_refused;
    all.push_back({facts.host.ceiling.With(Amount(refused.cpu)), ResourceKind::kCpu, refused.tail});
  }
  return all;
}

// How it was found decides: what reserves more than it needs proves nothing at what it reserves.
ConfidenceLabel ConfidenceOf(const DeviceFindings& found) {
  if (found.needed_by == NeededBy::kAsItIs) {
    return {Confidence::kLow, "it is what the model reserves, and less may do"};
  }
  if (found.needed_by != NeededBy::kCap) {
    return {Confidence::kMedium,
            "it was reserved as it was asked for, and some of it may be spare"};
  }
  if (found.memory_from == "device") {
    return {Confidence::kMedium, "what others take on the device cannot be told apart from it"};
  }
  return {Confidence::kHigh, "it is the least cap under which all rows were answered"};
}

std::optional<ProvenTails> TailsInDoubtOf(const RunFacts& facts, const Proof& proof) {
  // A latency that is asked for is judged by its own count.
  if (!facts.objective.latency_ms.empty()) return std::nullopt;
  std::vector<std::optional<Tail>> held;
  std::vector<std::optional<Tail>> fresh;
  for (const LimitedRun& run : proof.passes) {
    held.push_back(run.tail);
    fresh.push_back(run.fresh_tail);
  }
  const auto in_doubt = TailsInDoubt(held);
  return in_doubt ? in_doubt : TailsInDoubt(fresh);
}

}  // namespace

std::optional<Cores> CpuInDoubt(const RunFacts& facts, Cores answer,
                                const std::vector<FailedTry>& failed) {
  const bool* tight =
      facts.tightness ? facts.tightness->tight_each.Find(ResourceKind::kCpu) : nullptr;
  return LeastInDoubt(answer, FailedForCpu(facts, failed), tight != nullptr && !*tight);
}

bool NoiseRaised(const RunFacts& facts, ResourceKind kind) {
  if (!facts.verification) return false;
  const Proof* proof = ProofOf(facts);
  const Limits& limits = proof != nullptr ? proof->limits : facts.verification->limits;
  const auto raised = RaisedByNoise(limits, FailedBefore(facts));
  return std::find(raised.begin(), raised.end(), kind) != raised.end();
}

ConfidenceLabels ConfidencesOfUnproven(const RunFacts& facts, const Limits& answer,
                                       const std::vector<FailedTry>& failed) {
  UnprovenEvidence evidence;
  evidence.noisy = facts.noise.noisy;
  evidence.rows_failed = RowsAreMissing(facts);
  evidence.grows = Grows(facts) || (facts.row_pass && facts.row_pass->growth);
  evidence.files_of_others = facts.verification && facts.verification->files_of_others > Bytes();
  for (const FailedTry& tried : failed) {
    const bool of_cpu = tried.shortage == ResourceKind::kCpu;
    if (of_cpu && tried.limits.cpu() <= answer.cpu()) ++evidence.short_of_cpu;
    if (tried.limits.memory() != answer.memory()) continue;
    if (tried.shortage == ResourceKind::kMemory) ++evidence.short_of_memory;
    if (of_cpu && tried.content_with_memory) ++evidence.content_with_memory;
  }
  return JudgeUnproven(evidence);
}

ConfidenceLabels ConfidencesOf(const RunFacts& facts, const Proof& proof,
                               const std::vector<FailedTry>& failed) {
  ConfidenceEvidence evidence;
  evidence.raised_by_noise = RaisedByNoise(proof.limits, failed);
  evidence.passes = static_cast<int>(proof.passes.size());
  evidence.killed = facts.tightness && facts.tightness->killed;
  evidence.noisy = facts.noise.noisy;
  evidence.rows_failed = RowsAreMissing(facts);
  evidence.enough_requests = true;
  evidence.requests = RequestsAtAnswer(facts, proof);
  std::vector<double> means;
  for (const LimitedRun& run : proof.passes) {
    evidence.enough_requests &= EnoughRequests(facts.objective, run.latencies);
    evidence.enough_requests &=
        !run.fresh_latencies || EnoughRequests(facts.objective, *run.fresh_latencies);
    evidence.reads_pages_back |= run.read_back.often();
    means.push_back(run.trial.measurements.average_latency_ms.value_or(0));
  }
  evidence.latency_spread = HalfRange(means);
  if (facts.plateau) evidence.trend = facts.plateau->trend;
  evidence.from_cache = facts.warm_up && facts.warm_up->cache;
  evidence.grows_with_inputs = facts.row_pass && facts.row_pass->growth;
  if (const Bytes floor = NeedOf(facts).memory.Floor(); floor > Bytes()) {
    evidence.start_spread = static_cast<double>(SpreadOfStarts(facts, proof).count()) /
                            static_cast<double>(floor.count());
  }
  evidence.cpu_in_doubt = CpuInDoubt(facts, proof.limits.cpu(), failed);
  evidence.tails_in_doubt = TailsInDoubtOf(facts, proof);
  ConfidenceLabels labels = JudgeConfidence(evidence);
  if (facts.device) {
    labels.judged.Set(ResourceKind::kDeviceMemory, ConfidenceOf(facts.device->found));
  }
  return labels;
}

}  // namespace mlprof::server
