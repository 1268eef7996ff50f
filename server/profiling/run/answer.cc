#include "server/profiling/run/answer.h"

#include <algorithm>
#include <limits>

#include "server/analysis/device_limit.h"
#include "server/analysis/proof_count.h"
#include "server/analysis/start_cost.h"
#include "server/profiling/run/answer_confidence.h"
#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/proven.h"
#include "server/profiling/run/settings.h"

namespace mlprof::server {
namespace {

using phases::LimitedRun;
using phases::Proof;

// What programs can have of each device, which is less than all of a TPU chip's.
std::optional<Bytes> DeviceTotal(const RunFacts& facts) {
  std::optional<Bytes> least;
  for (const ContainerFacts& container : facts.containers) {
    if (!container.served_model || !container.device) continue;
    const auto total = container.device->Total();
    if (total) least = std::min(least.value_or(*total), *total);
  }
  if (least) return least;
  const auto ceiling = facts.host.ceiling.device_memory();
  return ceiling ? std::optional(ceiling->each) : std::nullopt;
}

// At the limit that the model is deployed with: the ceiling, which it had while its device was
// watched, may be all of the machine.
std::optional<DeviceLimit> DeviceLimitOf(const RunFacts& facts, Cores limit) {
  const DeviceFindings& found = facts.device->found;
  DeviceLoad load{found.busy, found.memory_busy, std::nullopt, std::nullopt};
  load.kind = found.kind;
  if (const auto total = DeviceTotal(facts)) {
    load.held = static_cast<double>(found.reserved.count()) /
                static_cast<double>(std::max<std::int64_t>(1, total->count()));
  }
  // What it used at the ceiling may be more than the answer lets it.
  if (facts.load) load.cpu = std::min(1.0, facts.load->need.cores / limit.value());
  return JudgeDeviceLimit(load);
}

// With which a run held the objective: the proof's containers, and the search's probes.
std::vector<Amount> Held(const RunFacts& facts) {
  std::vector<Amount> held;
  if (const Proof* proof = ProofOf(facts)) held = proof->limits.All();
  if (!facts.cpu) return held;
  for (const CpuPoint& point : facts.cpu->curve.points) {
    if (point.passed) held.push_back(point.cpu);
  }
  return held;
}

void AddConfidence(const ConfidenceLabels& labels, Recommendation& answer) {
  answer.confidence = labels.LowestOf(answer.requested);
  for (const ResourceKind kind : kResources) {
    Bound* bound = answer.bounds.Find(kind);
    if (bound == nullptr) continue;
    const ConfidenceLabel label = labels.Of(kind);
    bound->confidence = label.confidence;
    bound->because = label.because;
  }
}

// What held in the containers of the proof did not in one more of them, or in a longer load.
void TakeProofBack(const std::string& why, Recommendation& answer) {
  answer.verified = false;
  answer.ForgetTightness();
  answer.rare_events.reset();
  answer.kubernetes.reset();
  answer.curve.clear();
  answer.max_concurrency.reset();
  answer.max_requests_per_second.reset();
  AddConfidence(UnsureBecause(why), answer);
}

void SeeLaterLoads(const RunFacts& facts, Recommendation& answer) {
  if (facts.sustained && facts.sustained->unsteady) {
    TakeProofBack("one more container at these limits did not start, or did not bear the load",
                  answer);
  }
  if (facts.soak && facts.soak->failed) {
    TakeProofBack("what had held did not hold while it was soaked", answer);
  }
}

void AddUnprovenTail(const RunFacts& facts, const Proof& proof, Recommendation& answer) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const LimitedRun& run : proof.passes) {
    fewest = std::min(fewest, run.latencies.size());
    if (run.fresh_latencies) fewest = std::min(fewest, run.fresh_latencies->size());
  }
  Bound* bound = answer.bounds.Find(ResourceKind::kCpu);
  const auto unproven = UnprovenTail(facts.objective, fewest);
  if (bound != nullptr && unproven) bound->reason += "; " + *unproven;
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
}

std::vector<StartTime> StartsOf(const Proof& proof) {
  std::vector<StartTime> starts;
  for (const LimitedRun& run : proof.passes) {
    const Measurements& measured = run.trial.measurements;
    if (!measured.start_seconds) continue;
    starts.push_back({*measured.start_seconds, measured.start_cpu_seconds.value_or(0)});
  }
  return starts;
}

void AddStartFigures(const RunFacts& facts, const Proof* proof, Recommendation& answer) {
  if (!facts.starts || facts.starts->seconds.empty()) return;
  const std::vector<StartTime> at_limits =
      proof != nullptr ? StartsOf(*proof) : std::vector<StartTime>();
  answer.start =
      FiguresOfStarts(at_limits, TimesOf(*facts.starts), facts.objective, facts.starts->cpu);
}

// A step that fell short once, and held after all, may be enough.
void AddTightness(const phases::Tightness& tightness, Recommendation& answer) {
  answer.tight = tightness.tight();
  for (const Amount& limit : answer.requested.All()) {
    const bool* tight = tightness.tight_each.Find(limit.kind());
    Bound* bound = answer.bounds.Find(limit.kind());
    if (tight == nullptr || bound == nullptr) continue;
    if (!bound->at_floor) bound->tight = *tight;
    if (!*tight && bound->low == OneStepLower(limit)) bound->low_failed = false;
  }
}

// What few requests decided may be enough.
void AddCpuDoubt(const RunFacts& facts, const std::vector<FailedTry>& failed,
                 Recommendation& answer) {
  Bound* bound = answer.bounds.Find(ResourceKind::kCpu);
  const auto least = CpuInDoubt(facts, answer.requested.cpu(), failed);
  if (bound == nullptr || !least) return;
  bound->low = *least;
  bound->low_failed = false;
}

// What held did so without paying for them.
void AddFilesOfOthers(Bytes files, Bytes most, Limits& limits) {
  if (files == Bytes()) return;
  limits.Set(std::min(RoundUp(limits.memory() + files, kMemoryQuantum), most));
}

}  // namespace

std::optional<Recommendation> AnswerOf(const RunFacts& facts) {
  if (!facts.warm_up) return std::nullopt;
  Limits limits = UnprovenLimits(facts);
  if (facts.verification) limits = facts.verification->limits;
  if (facts.tightness) limits = facts.tightness->proof.limits;
  MeasuredNeed need = NeedOf(facts);
  need.memory.files_of_others = UnpaidFiles(facts);
  AddFilesOfOthers(need.memory.files_of_others, facts.host.ceiling.memory(), limits);
  const std::vector<FailedTry> failed = FailedBefore(facts);
  Recommendation answer = Recommend(limits, need, facts.host.ceiling, failed, Held(facts));
  if (facts.pools && facts.pools->found.adopted) {
    answer.environment_variables = facts.pools->found.environment;
  }
  if (facts.device) {
    answer.device = facts.device->found;
    answer.device->limit = DeviceLimitOf(facts, answer.requested.cpu());
    for (const auto& [name, value] : facts.device->environment) {
      answer.environment_variables[name] = value;
    }
  }
  if (const auto workers = WorkersOf(facts)) {
    answer.workers = ServingWorkers{workers->count, workers->per_worker_memory, workers->reached};
  }
  const Proof* proof = ProofOf(facts);
  AddStartFigures(facts, proof, answer);
  if (proof == nullptr) {
    AddConfidence(ConfidencesOfUnproven(facts, answer.requested, failed), answer);
    return answer;
  }
  answer.verified = true;
  if (facts.tightness) AddTightness(*facts.tightness, answer);
  AddCpuDoubt(facts, failed, answer);
  AddUnprovenTail(facts, *proof, answer);
  AddConfidence(ConfidencesOf(facts, *proof, failed), answer);
  AddSustained(facts, *proof, answer);
  AddSettings(facts, *proof, answer);
  SeeLaterLoads(facts, answer);
  return answer;
}

}  // namespace mlprof::server
