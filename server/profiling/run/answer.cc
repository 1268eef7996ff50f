#include "server/profiling/run/answer.h"

#include <algorithm>
#include <limits>

#include "server/analysis/device_limit.h"
#include "server/analysis/first_visits.h"
#include "server/analysis/proof_count.h"
#include "server/analysis/start_cost.h"
#include "server/analysis/successors.h"
#include "server/profiling/lab/workload.h"
#include "server/profiling/run/answer_confidence.h"
#include "server/profiling/run/findings.h"
#include "server/profiling/run/no_answer.h"
#include "server/profiling/run/settings.h"
#include "server/profiling/run/warnings.h"

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

// Requests stay longer at a limit than at the ceiling, and so more of them meet: what those take
// that did not meet at the ceiling.
void AddInFlight(const RunFacts& facts, MemoryNeed& memory) {
  if (!facts.load || !facts.load->in_flight) return;
  memory.in_flight = std::max(facts.in_flight, *facts.load->in_flight);
  const int more = memory.in_flight - *facts.load->in_flight;
  if (facts.curve && facts.curve->memory_per_request) {
    memory.meeting = Bytes(facts.curve->memory_per_request->count() * more);
  }
}

// Of a model that takes what its limit lets it take: as it is at the answer.
void KeepToLimit(const RunFacts& facts, MemoryNeed& memory) {
  if (!facts.verification || !facts.verification->heap) return;
  const Proof* proof = ProofOf(facts);
  const auto peak = proof != nullptr ? phases::PeakOf(*proof) : std::nullopt;
  memory.serving_peak = peak.value_or(facts.verification->heap->used);
  memory.start_peak = std::min(memory.start_peak, memory.serving_peak);
  memory.start_spread = Bytes();
}

}  // namespace

Bytes SuccessorsOf(const RunFacts& facts) {
  const auto replaces = [](const ContainerFacts& container) {
    return container.use == Use::kObjective && container.workers_replaced > 0;
  };
  const bool replaced = std::any_of(facts.containers.begin(), facts.containers.end(), replaces);
  if (!replaced || !facts.workers || !facts.plateau || !facts.plateau->serving_low) return {};
  const WorkerCoverage& workers = facts.workers->coverage;
  if (!workers.per_worker_memory) return {};
  return BeyondPeakForSuccessors(*facts.plateau->serving_low, NeedOf(facts).memory.serving_peak,
                                 workers.count, *workers.per_worker_memory);
}

MeasuredNeed NeedOf(const RunFacts& facts) {
  std::vector<phases::NeedSeen> seen;
  if (facts.warm_up) seen.push_back(facts.warm_up->need);
  if (facts.row_pass) seen.push_back(facts.row_pass->need);
  if (facts.load) seen.push_back(facts.load->need);
  const MeasuredNeed start = facts.starts ? NeedOfStart(*facts.starts) : MeasuredNeed();
  MeasuredNeed need = phases::NeedOf(start, facts.objective, seen);
  if (facts.plateau)
    need.memory.serving_peak = std::max(need.memory.serving_peak, facts.plateau->serving_peak);
  need.memory.successors = facts.successors;
  AddInFlight(facts, need.memory);
  if (facts.warm_up && facts.warm_up->cache) {
    const auto first = CoresOfFirstVisits(*facts.warm_up->cache, facts.objective);
    const double cores = facts.distinct ? facts.distinct->cores : first.value_or(0);
    if (cores > 0) need.cpu.cores = cores;
  }
  if (facts.hot_file) need.memory.hot_file = facts.hot_file->hot_file.value_or(Bytes());
  KeepToLimit(facts, need.memory);
  if (facts.device) need.device_memory.emplace().peak = facts.device->need;
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
  // Random arrivals come slower than their mean for a while, too. A run that passed kept up with
  // what was due, and so with the rate.
  if (objective.requests_per_second) return load;
  for (const LimitedRun& run : proof.passes) {
    const auto rate = run.trial.measurements.queries_per_second;
    if (rate) load.requests_per_second = std::min(load.requests_per_second.value_or(*rate), *rate);
  }
  return load;
}

std::optional<WorkerCoverage> WorkersOf(const RunFacts& facts) {
  std::optional<WorkerCoverage> workers;
  if (facts.workers) workers = facts.workers->coverage;
  if (!facts.verification || !facts.verification->workers) return workers;
  const auto at_ceiling = workers ? workers->per_worker_memory : std::nullopt;
  workers = facts.verification->workers;
  if (workers->count < 2) return std::nullopt;
  workers->per_worker_memory = std::max(workers->per_worker_memory, at_ceiling);
  return workers;
}

std::vector<FailedTry> FailedBefore(const RunFacts& facts) {
  if (facts.tightness) return facts.tightness->failed;
  return facts.verification ? facts.verification->failed : std::vector<FailedTry>();
}

namespace {

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

// What held did so without paying for them.
void AddFilesOfOthers(const RunFacts& facts, Limits& limits) {
  if (!facts.verification || facts.verification->files_of_others == Bytes()) return;
  const Bytes whole =
      RoundUp(limits.memory() + facts.verification->files_of_others, kMemoryQuantum);
  limits.Set(std::min(whole, facts.host.ceiling.memory()));
}

}  // namespace

std::optional<Recommendation> AnswerOf(const RunFacts& facts) {
  if (!facts.warm_up) return std::nullopt;
  Limits limits = UnprovenLimits(facts);
  if (facts.verification) limits = facts.verification->limits;
  if (facts.tightness) limits = facts.tightness->proof.limits;
  AddFilesOfOthers(facts, limits);
  const std::vector<FailedTry> failed = FailedBefore(facts);
  Recommendation answer = Recommend(limits, NeedOf(facts), facts.host.ceiling, failed, Held(facts));
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
  AddUnprovenTail(facts, *proof, answer);
  AddConfidence(ConfidencesOf(facts, *proof, failed), answer);
  AddSustained(facts, *proof, answer);
  AddSettings(facts, *proof, answer);
  SeeLaterLoads(facts, answer);
  return answer;
}

namespace {

// Of the phase that came last.
std::optional<Measurements> LastMeasured(const RunFacts& facts) {
  if (const phases::Proof* proof = ProofOf(facts)) return proof->passes.back().trial.measurements;
  if (facts.distinct && facts.distinct->trial) return facts.distinct->trial->measurements;
  if (facts.load) return facts.load->trial.measurements;
  if (facts.row_pass) return facts.row_pass->trial.measurements;
  if (facts.warm_up) return facts.warm_up->trial.measurements;
  return std::nullopt;
}

// The most that any container with the model took under no more than the objective's load.
std::optional<Bytes> PeakMemory(const RunFacts& facts) {
  std::optional<Bytes> peak;
  for (const ContainerFacts& container : facts.containers) {
    if (container.use != Use::kObjective || !container.served_model) continue;
    peak = std::max(peak, container.peak_unreclaimable);
  }
  if (!peak) return peak;
  // What such a model took with more is no use of what it is to be given.
  if (facts.verification && facts.verification->heap) return NeedOf(facts).memory.serving_peak;
  return std::max(*peak, NeedOf(facts).memory.start_peak);  // which may lie between two samples
}

// With the figures that belong to the whole run rather than to one trial.
std::optional<Measurements> MeasurementsOf(const RunFacts& facts) {
  auto measurements = LastMeasured(facts);
  if (!measurements) return measurements;
  measurements->max_utilized_memory = PeakMemory(facts);
  if (facts.row_pass) measurements->rows_replayed = facts.row_pass->distinct;
  if (facts.curve && facts.plateau) {
    measurements->memory_per_concurrent_query = facts.curve->memory_per_request;
  }
  if (!measurements->start_seconds && facts.starts) {
    measurements->start_seconds = facts.starts->seconds.back();
    measurements->start_cpu_seconds = facts.starts->cpu_seconds.back();
    measurements->start_peak_memory = NeedOf(facts).memory.start_peak;
  }
  return measurements;
}

std::optional<double> HoursToOutOfMemory(const RunFacts& facts,
                                         const std::optional<Recommendation>& answer,
                                         const std::optional<Measurements>& measured) {
  if (!facts.plateau || !answer) return std::nullopt;
  const double measured_rate = measured ? measured->queries_per_second.value_or(0) : 0;
  return phases::HoursToOutOfMemory(*facts.plateau, NeedOf(facts), answer->requested.memory(),
                                    facts.objective.requests_per_second.value_or(measured_rate));
}

}  // namespace

void Render(const RunFacts& facts, const std::vector<Warning>& given, Profile& profile) {
  profile.no_answer = NoAnswerOf(facts);
  profile.recommendation = profile.no_answer ? std::nullopt : AnswerOf(facts);
  profile.measurements = MeasurementsOf(facts);
  const auto hours = HoursToOutOfMemory(facts, profile.recommendation, profile.measurements);
  profile.findings = FindingsOf(facts, hours);
  profile.captures = facts.captures ? facts.captures->taken : std::vector<ProfileCapture>();
  if (profile.host) profile.host->noise = facts.noise.sentence;
  profile.warnings = given;
  for (Warning& warning : WarningsOf(facts, hours)) profile.warnings.push_back(std::move(warning));
}

}  // namespace mlprof::server
