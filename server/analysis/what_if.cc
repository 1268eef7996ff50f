#include "server/analysis/what_if.h"

#include <algorithm>
#include <cmath>

#include "server/analysis/measured_range.h"
#include "server/analysis/recommend.h"
#include "server/analysis/sentence.h"
#include "server/analysis/serving_model.h"
#include "server/analysis/verdict.h"

namespace mlprof::server {
namespace {

constexpr double kOwnMargin = RulesOf(ResourceKind::kMemory).margin_percent / 100.0;
// A simulated latency is to stay this far below the objective's. Chosen, not measured.
constexpr double kLatencyReserve = 0.95;
constexpr double kKeepsUp = 0.95;  // of the rate; a run's arrivals at random scatter by less
constexpr std::int64_t kFewestRequests = 2000;  // twenty of them lie beyond the p99
constexpr Cores kFineGridEnd = Cores::FromTenths(20);

bool SameLoad(const Objective& a, const Objective& b) {
  if (a.requests_per_second != b.requests_per_second) return false;
  if (a.requests_per_second) return a.arrivals == b.arrivals;
  return a.ConcurrencyOrOne() == b.ConcurrencyOrOne();
}

bool SameObjective(const Objective& a, const Objective& b) {
  return SameLoad(a, b) && a.latency_ms == b.latency_ms && a.max_error_rate == b.max_error_rate;
}

bool OwnMargin(const WhatIfQuestion& question) {
  return !question.memory_margin || std::abs(*question.memory_margin - kOwnMargin) < 1e-9;
}

Status Check(const WhatIfQuestion& question) {
  const Objective& objective = question.objective;
  std::vector<FieldError> fields;
  if (objective.concurrency && objective.requests_per_second) {
    fields.push_back({"/objective/requestsPerSecond", "excludes concurrency"});
  }
  if (objective.ConcurrencyOrOne() < 1) {
    fields.push_back({"/objective/concurrency", "must be at least 1"});
  }
  if (objective.requests_per_second && !(*objective.requests_per_second > 0)) {
    fields.push_back({"/objective/requestsPerSecond", "must be above 0"});
  }
  for (const auto& [key, ms] : objective.latency_ms) {
    if (!QuantileOfKey(key) || !(ms > 0)) {
      fields.push_back({"/objective/latencyInMs/" + key, "must be p50, p90, p95 or p99, above 0"});
    }
  }
  if (question.memory_margin && !(*question.memory_margin >= 0 && *question.memory_margin <= 10)) {
    fields.push_back({"/memoryMargin", "must be from 0 to 10"});
  }
  if (fields.empty()) return {};
  return Fail(Error(ErrorCode::kInvalidArgument, "the question cannot be answered", fields));
}

std::int64_t RequestsFor(const Objective& objective) {
  std::size_t requests = static_cast<std::size_t>(kFewestRequests);
  for (const auto& [key, ms] : objective.latency_ms) {
    requests = std::max(requests, 10 * RequestsForConfidence(QuantileOfKey(key).value_or(0.5)));
  }
  return static_cast<std::int64_t>(requests);
}

// The limits that a rate or a latency is asked of, one after the other.
class CpuSearch {
 public:
  CpuSearch(const ServingModel& model, const Objective& objective)
      : model_(model), objective_(objective), requests_(RequestsFor(objective)) {
    at_ceiling_ = Simulate(model.ceiling);
  }

  QueueOutcome Simulate(Cores cpu) const {
    return SimulateLoad(model_, objective_, cpu, requests_);
  }

  /// The smallest that holds; nullopt where the ceiling does not.
  std::optional<Cores> Smallest() const {
    for (Cores cpu = Floor(); cpu < model_.ceiling; cpu = NextOnGrid(cpu)) {
      if (Holds(Simulate(cpu))) return cpu;
    }
    if (Floor() <= model_.ceiling && Holds(at_ceiling_)) return model_.ceiling;
    return std::nullopt;
  }

 private:
  Cores Floor() const {
    if (!objective_.requests_per_second) return kCpuQuantum;
    const double cores = *objective_.requests_per_second * model_.cpu_ms / 1000;
    return std::max(kCpuQuantum, Cores(cores / kUtilizationOfRate).RoundUpToGrid());
  }

  static Cores NextOnGrid(Cores cpu) {
    if (cpu < kFineGridEnd) return cpu + kCpuQuantum;
    return std::max(Cores(cpu.value() * 1.1).RoundDownToGrid(), cpu + kCpuQuantum);
  }

  bool Holds(const QueueOutcome& outcome) const {
    const auto& rate = objective_.requests_per_second;
    if (rate && outcome.requests_per_second < kKeepsUp * *rate) return false;
    for (const auto& [key, ms] : objective_.latency_ms) {
      if (CorrectedMs(model_, outcome, key) > kLatencyReserve * ms) return false;
    }
    if (!objective_.latency_ms.empty()) return true;
    return CorrectedMs(model_, outcome, "p95") <=
           kReferenceTolerance * CorrectedMs(model_, at_ceiling_, "p95");
  }

  const ServingModel& model_;
  const Objective& objective_;
  std::int64_t requests_;
  QueueOutcome at_ceiling_;
};

void AnswerCpu(const Profile& profile, const ServingModel& model, const Objective& objective,
               WhatIfAnswer& answer) {
  const CpuSearch search(model, objective);
  const auto smallest = search.Smallest();
  const Cores cpu = smallest.value_or(model.ceiling);
  Recommendation& said = answer.recommendation;
  said.requested.Set(cpu);
  const double error = profile.findings.cpu ? profile.findings.cpu->relative_error.value_or(0) : 0;
  const double spread = std::max(0.1, 2 * error);
  const QueueOutcome outcome = search.Simulate(cpu);
  said.max_concurrency = objective.concurrency;
  said.max_requests_per_second =
      objective.requests_per_second.value_or(outcome.requests_per_second);
  said.Set({std::max(kCpuQuantum, Cores(cpu.value() * (1 - spread)).RoundDownToGrid()),
            std::min(Cores(cpu.value() * (1 + spread)).RoundUpToGrid(), model.ceiling),
            Sentence("simulated from the stored curves: p95 %.1f ms at %.1f cores",
                     CorrectedMs(model, outcome, "p95"), cpu.value())});
  if (smallest) return;
  answer.within_measured = false;
  answer.notes.push_back(Sentence("even the ceiling of %.1f cores would not hold this objective",
                                  model.ceiling.value()));
}

// Requests that are in the server at once, by Little's law.
double InFlight(const ServingModel& model, const Objective& objective, Cores cpu) {
  if (!objective.requests_per_second) return objective.ConcurrencyOrOne();
  const QueueOutcome outcome = SimulateLoad(model, objective, cpu, kFewestRequests);
  const double seconds = CorrectedMs(model, outcome, "p99") / 1000;
  const double in_flight = std::ceil(*objective.requests_per_second * seconds);
  return std::clamp(in_flight, 1.0, std::max(1.0, 1.0 * model.server.workers));
}

// Known to fall short, or the measured need.
Bytes LeastMemory(const Recommendation& answer) {
  const Bound* bound = answer.bounds.Find(ResourceKind::kMemory);
  return bound != nullptr ? bound->low.bytes() : Bytes();
}

Bytes NeededMemory(const Profile& profile) {
  Bytes need = LeastMemory(*profile.recommendation);
  if (const auto& memory = profile.findings.memory) {
    need = std::max(
        {need, memory->load_peak.value_or(Bytes()), memory->serving_peak.value_or(Bytes())});
  }
  return std::min(need, profile.recommendation->requested.memory());
}

void AnswerMemory(const Profile& profile, const WhatIfQuestion& question, double more_in_flight,
                  WhatIfAnswer& answer) {
  const Recommendation& own = *profile.recommendation;
  const Bytes low = LeastMemory(own);
  Bytes memory = own.requested.memory();
  if (!OwnMargin(question)) {
    memory = std::max(Scale(NeededMemory(profile), 1 + *question.memory_margin), low + Bytes(1));
  }
  const auto& findings = profile.findings.memory;
  if (more_in_flight > 0 && findings && findings->per_concurrent_request) {
    memory += Scale(*findings->per_concurrent_request, more_in_flight);
  }
  memory = std::max(RoundUp(memory, kMemoryQuantum), kSmallestLimits.memory());
  if (profile.request.ceiling.memory && memory > *profile.request.ceiling.memory) {
    answer.within_measured = false;
    answer.notes.push_back(
        Sentence("%.0f MiB are more than the ceiling of the profile", memory.mib()));
  }
  Recommendation& said = answer.recommendation;
  said.requested.Set(memory);
  const Bound* bound = own.bounds.Find(ResourceKind::kMemory);
  said.Set({low, bound != nullptr ? Greater(bound->high, memory) : Amount(memory),
            Sentence("%.0f MiB were needed", NeededMemory(profile).mib())});
  if (memory < own.requested.memory()) {
    answer.notes.push_back("less memory than the answer has was not verified");
  }
  if (findings && findings->trend == MemoryTrend::kGrowing) {
    answer.notes.push_back("memory grows with every request: a limit only sets when it runs out");
  }
}

}  // namespace

Result<WhatIfAnswer> AnswerWhatIf(const Profile& profile, std::span<const Trial> trials,
                                  std::span<const RowRecord> rows, const WhatIfQuestion& question) {
  if (!profile.recommendation) return Fail(Conflict("the profile has no recommendation"));
  MLPROF_TRY(Check(question));
  const Objective& own = profile.request.objective;
  const bool same_objective = SameObjective(question.objective, own);
  if (same_objective && OwnMargin(question)) return WhatIfAnswer{*profile.recommendation, true, {}};
  const auto model = CalibrateServingModel(profile, trials, rows);
  if (!model) return Fail(Conflict("the profile measured no load that others could follow from"));

  WhatIfAnswer answer;
  const Recommendation& own_answer = *profile.recommendation;
  if (same_objective) {
    answer.recommendation = own_answer;
    answer.recommendation.verified = false;
    answer.recommendation.tight.reset();
  } else {
    // What nothing is simulated of stays as it was answered.
    answer.recommendation.requested = own_answer.requested;
    answer.recommendation.bounds = own_answer.bounds;
    answer.recommendation.environment_variables = own_answer.environment_variables;
    AnswerCpu(profile, *model, question.objective, answer);
  }
  const Cores cpu = answer.recommendation.requested.cpu();
  const double more =
      InFlight(*model, question.objective, cpu) - InFlight(*model, own, own_answer.requested.cpu());
  AnswerMemory(profile, question, more, answer);
  for (std::string& note : OutsideOfMeasured(profile, trials, question.objective, cpu)) {
    answer.within_measured = false;
    answer.notes.push_back(std::move(note));
  }
  const Confidence confidence = answer.within_measured ? Confidence::kMedium : Confidence::kLow;
  answer.recommendation.confidence = confidence;
  for (const ResourceKind kind : kResources) {
    if (Bound* bound = answer.recommendation.bounds.Find(kind)) bound->confidence = confidence;
  }
  return answer;
}

}  // namespace mlprof::server
