#include "server/analysis/what_if.h"

#include <algorithm>
#include <cmath>

#include "server/analysis/in_flight.h"
#include "server/analysis/measured_range.h"
#include "server/analysis/recommend.h"
#include "server/analysis/sentence.h"
#include "server/analysis/serving_model.h"
#include "server/analysis/start_cost.h"
#include "server/analysis/verdict.h"

namespace mlprof::server {
namespace {

constexpr double kOwnMargin = RulesOf(ResourceKind::kMemory).margin_percent / 100.0;
// A simulated latency is to stay this far below the objective's. Chosen, not measured.
constexpr double kLatencyReserve = 0.95;
constexpr double kKeepsUp = 0.95;               // of what came of the rate. Chosen, not measured
constexpr std::int64_t kFewestRequests = 2000;  // twenty of them lie beyond the p99
constexpr Cores kFineGridEnd = Cores::FromTenths(20);

bool SameLoad(const Objective& a, const Objective& b) {
  if (a.requests_per_second != b.requests_per_second) return false;
  if (a.requests_per_second) return a.arrivals == b.arrivals;
  return a.ConcurrencyOrOne() == b.ConcurrencyOrOne();
}

// A profile of both kinds answers for each.
bool SameConnections(const Objective& asked, const Objective& own) {
  return !asked.connections || asked.connections == own.connections ||
         own.connections == ConnectionUse::kBoth;
}

bool SameObjective(const Objective& a, const Objective& b) {
  return SameLoad(a, b) && a.latency_ms == b.latency_ms && a.max_error_rate == b.max_error_rate &&
         a.start_within_seconds == b.start_within_seconds;
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

// Another number of them than the answer was measured with.
bool OtherWorkers(const Profile& profile, const WhatIfQuestion& question) {
  return question.workers && question.workers != profile.recommendation->workers->count;
}

Status CheckWorkers(const Profile& profile, const WhatIfQuestion& question) {
  const auto& workers = profile.recommendation->workers;
  if (!question.workers) return {};
  if (workers && (workers->per_worker_memory || *question.workers == workers->count)) return {};
  const std::string why = workers ? "what one worker has for itself could not be read"
                                  : "the profile saw one process that serves";
  return Fail(
      Error(ErrorCode::kInvalidArgument, "the question cannot be answered", {{"/workers", why}}));
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

  /// What a rate wants at least, so that its bursts find room.
  Cores Floor() const {
    if (!objective_.requests_per_second) return kCpuQuantum;
    const double cores = *objective_.requests_per_second * model_.cpu_ms / 1000;
    return std::max(kCpuQuantum, Cores(cores / kUtilizationOfRate).RoundUpToGrid());
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
  static Cores NextOnGrid(Cores cpu) {
    if (cpu < kFineGridEnd) return cpu + kCpuQuantum;
    return std::max(Cores(cpu.value() * 1.1).RoundDownToGrid(), cpu + kCpuQuantum);
  }

  bool Holds(const QueueOutcome& outcome) const {
    const auto& rate = objective_.requests_per_second;
    // Of what came: arrivals that are scattered widely come slower or faster than their rate.
    if (rate && outcome.requests_per_second < kKeepsUp * outcome.offered_per_second) return false;
    for (const auto& [key, ms] : objective_.latency_ms) {
      if (CorrectedMs(model_, outcome, key) > kLatencyReserve * ms) return false;
    }
    if (!objective_.latency_ms.empty()) return true;
    const double least = kThroughputTolerance * at_ceiling_.requests_per_second;
    if (!rate && outcome.requests_per_second < least) return false;
    return CorrectedMs(model_, outcome, "p95") <=
           kReferenceTolerance * CorrectedMs(model_, at_ceiling_, "p95");
  }

  const ServingModel& model_;
  const Objective& objective_;
  std::int64_t requests_;
  QueueOutcome at_ceiling_;
};

// Why the ceiling itself starts too late for the objective, where it does.
std::optional<std::string> StartsTooLate(const Profile& profile, Cores ceiling,
                                         const Objective& objective) {
  const auto& own = profile.recommendation->start;
  const auto& within = objective.start_within_seconds;
  if (!own || !within || own->at_ceiling.seconds <= *within) return std::nullopt;
  return Sentence("even at the ceiling of %.1f cores it starts in %.3g s", ceiling.value(),
                  own->at_ceiling.seconds);
}

// What it takes to start as soon as the objective asks, at least.
Cores AnswerStart(const Profile& profile, Cores ceiling, const Objective& objective,
                  WhatIfAnswer& answer) {
  const auto& own = profile.recommendation->start;
  const auto& within = objective.start_within_seconds;
  if (!within) return kCpuQuantum;
  if (!own) {
    answer.within_measured = false;
    answer.notes.push_back("how long it takes to start was not measured");
    return kCpuQuantum;
  }
  return CoresToStart(own->at_ceiling, *within, ceiling);
}

Recommendation AnswerCpu(const Profile& profile, const ServingModel& model,
                         const Objective& objective, const CpuSearch& search, Cores cpu,
                         double highest_throughput) {
  // What nothing is simulated of stays as it was answered.
  Recommendation said;
  said.requested = profile.recommendation->requested;
  said.bounds = profile.recommendation->bounds;
  said.environment_variables = profile.recommendation->environment_variables;
  said.workers = profile.recommendation->workers;
  said.requested.Set(cpu);
  const double error = profile.findings.cpu ? profile.findings.cpu->relative_error.value_or(0) : 0;
  const double spread = std::max(0.1, 2 * error);
  const QueueOutcome outcome = search.Simulate(cpu);
  if (!objective.requests_per_second) said.max_concurrency = objective.ConcurrencyOrOne();
  said.max_requests_per_second = objective.requests_per_second.value_or(
      std::min(outcome.requests_per_second, highest_throughput));
  said.Set({std::max(kCpuQuantum, Cores(cpu.value() * (1 - spread)).RoundDownToGrid()),
            std::min(Cores(cpu.value() * (1 + spread)).RoundUpToGrid(), model.ceiling),
            Sentence("simulated from the stored curves: p95 %.1f ms at %.1f cores",
                     CorrectedMs(model, outcome, "p95"), cpu.value())});
  return said;
}

WhatIfAnswer WithoutAnswer(const char* code, const MeasuredLoads& loads, const Objective& objective,
                           const std::string& message) {
  WhatIfAnswer answer;
  answer.within_measured = false;
  answer.notes = {message};
  answer.no_answer = NoAnswer{code, message, loads.Nearest(objective)};
  auto& nearest = answer.no_answer->nearest;
  if (nearest && nearest->short_of.empty()) nearest->short_of = message;
  return answer;
}

// Why the ceiling does not do.
std::string NotEvenTheCeiling(const ServingModel& model, const CpuSearch& search) {
  if (search.Floor() > model.ceiling) {
    return Sentence(
        "this rate wants %.1f cores, so that its bursts find room, and even the ceiling "
        "is %.1f cores",
        search.Floor().value(), model.ceiling.value());
  }
  const QueueOutcome outcome = search.Simulate(model.ceiling);
  return Sentence(
      "even the ceiling of %.1f cores would not hold this objective: it is foreseen to "
      "serve %.1f requests/s with p95 %.1f ms",
      model.ceiling.value(), outcome.requests_per_second, CorrectedMs(model, outcome, "p95"));
}

// Requests that are in the server at once: of a rate as a profile counts them.
double InFlight(const ServingModel& model, const Objective& objective, Cores cpu) {
  if (!objective.requests_per_second) return objective.ConcurrencyOrOne();
  const QueueOutcome outcome = SimulateLoad(model, objective, cpu, kFewestRequests);
  return InFlightAtMost(*objective.requests_per_second, objective.arrivals,
                        outcome.latencies.MeanMs().value_or(0) / 1000);
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
  Bytes low = LeastMemory(own);
  Bytes need = NeededMemory(profile);
  bool low_failed = own.bounds.Find(ResourceKind::kMemory) != nullptr &&
                    own.bounds.Find(ResourceKind::kMemory)->low_failed;
  Bytes memory = own.requested.memory();
  if (!OwnMargin(question)) {
    // Above what is known to fall short; where the answer is the least there is, nothing is.
    const Bytes least = low < own.requested.memory() ? low + Bytes(1) : low;
    memory = std::max(Scale(need, 1 + *question.memory_margin), least);
  }
  const auto& findings = profile.findings.memory;
  if (more_in_flight > 0 && findings && findings->per_concurrent_request) {
    memory += Scale(*findings->per_concurrent_request, more_in_flight);
  }
  if (OtherWorkers(profile, question)) {
    // Those that had no row may not have loaded what they hold: they are not in what was measured.
    const int held = own.workers->reached > 0 ? own.workers->reached : own.workers->count;
    const int more = *question.workers - held;
    const Bytes each = *own.workers->per_worker_memory;
    const auto for_others = [&](Bytes bytes) {
      return std::max(Bytes(), Bytes(bytes.count() + more * each.count()));
    };
    memory = for_others(memory);
    // What fell short, did so with another number of them.
    low = need = for_others(need);
    low_failed = false;
    answer.within_measured = false;
    answer.recommendation->workers = ServingWorkers{*question.workers, each, 0};
    answer.recommendation->max_concurrency.reset();
    answer.recommendation->max_requests_per_second.reset();
    answer.notes.push_back(
        Sentence("%d workers were not run: what one has for itself, %.0f MiB, counts for each",
                 *question.workers, each.mib()));
  }
  memory = std::max(RoundUp(memory, kMemoryQuantum), kSmallestLimits.memory());
  if (profile.request.ceiling.memory && memory > *profile.request.ceiling.memory) {
    answer.within_measured = false;
    answer.notes.push_back(
        Sentence("%.0f MiB are more than the ceiling of the profile", memory.mib()));
  }
  Recommendation& said = *answer.recommendation;
  said.requested.Set(memory);
  const Bound* bound = own.bounds.Find(ResourceKind::kMemory);
  Bound range{std::min(low, memory),
              bound != nullptr ? Greater(bound->high, memory) : Amount(memory),
              Sentence("%.0f MiB %s needed", need.mib(),
                       OtherWorkers(profile, question) ? "would be" : "were")};
  range.low_failed = low_failed;
  said.Set(std::move(range));
  if (memory < own.requested.memory()) {
    answer.notes.push_back("less memory than the answer has was not verified");
  }
  if (findings && findings->trend == MemoryTrend::kGrowing) {
    answer.notes.push_back("memory grows with every request: a limit only sets when it runs out");
  }
}

// The lower of the two.
Confidence Capped(Confidence confidence, Confidence most) {
  return std::max(confidence, most);  // the enumerators go from high to low
}

// A foresight is no surer than what it is made of, and never as sure as what was proven.
void JudgeForesight(const Recommendation& own, WhatIfAnswer& answer) {
  const Confidence most = answer.within_measured ? Confidence::kMedium : Confidence::kLow;
  const std::string foreseen = answer.within_measured
                                   ? "it follows from what was measured, and was not run"
                                   : "it lies beyond what was measured, and was not run";
  Recommendation& said = *answer.recommendation;
  said.confidence = Capped(own.confidence, most);
  for (const ResourceKind kind : kResources) {
    Bound* bound = said.bounds.Find(kind);
    if (bound == nullptr) continue;
    if (const auto asked = said.requested.Find(kind)) bound->at_floor = !OneStepLower(*asked);
    const Bound* before = own.bounds.Find(kind);
    bound->confidence = Capped(before != nullptr ? before->confidence : own.confidence, most);
    bound->because = foreseen;
    // The enumerators go from high to low.
    const bool unsure = before != nullptr && before->confidence >= most;
    if (unsure && !before->because.empty()) bound->because += "; " + before->because;
  }
}

// The same limits for another margin; nothing but the memory changes.
Recommendation Unproven(Recommendation own) {
  own.verified = false;
  own.ForgetTightness();
  own.kubernetes.reset();
  own.rare_events.reset();
  return own;
}

}  // namespace

Result<WhatIfAnswer> AnswerWhatIf(const Profile& profile, std::span<const Trial> trials,
                                  std::span<const RowRecord> rows, const WhatIfQuestion& question) {
  MLPROF_TRY(Check(question));
  const Objective& own = profile.request.objective;
  const Objective& asked = question.objective;
  const bool same_connections = SameConnections(asked, own);
  const bool same_objective = same_connections && SameObjective(asked, own);
  if (same_objective && profile.no_answer) {
    return WhatIfAnswer{std::nullopt, true, {}, profile.no_answer};
  }
  if (!profile.recommendation) return Fail(Conflict("the profile has no recommendation"));
  MLPROF_TRY(CheckWorkers(profile, question));
  const Recommendation& own_answer = *profile.recommendation;
  if (same_objective && !OtherWorkers(profile, question) && OwnMargin(question)) {
    return WhatIfAnswer{own_answer, true, {}};
  }
  const auto model = CalibrateServingModel(profile, trials, rows);
  if (!model && !same_objective)
    return Fail(Conflict("the profile measured no load that others could follow from"));

  WhatIfAnswer answer;
  if (same_objective) {
    answer.recommendation = Unproven(own_answer);
  } else {
    const MeasuredLoads loads = LoadsOf(profile, trials);
    if (const auto more = MoreThanMeasured(loads, asked)) {
      return WithoutAnswer(kBeyondMeasured, loads, asked, *more);
    }
    if (const auto late = StartsTooLate(profile, model->ceiling, asked)) {
      return WithoutAnswer(kObjectiveNotHeld, loads, asked, *late);
    }
    const CpuSearch search(*model, asked);
    const auto smallest = search.Smallest();
    if (!smallest) {
      return WithoutAnswer(kObjectiveNotHeld, loads, asked, NotEvenTheCeiling(*model, search));
    }
    const Cores cpu = std::max(*smallest, AnswerStart(profile, model->ceiling, asked, answer));
    answer.recommendation =
        AnswerCpu(profile, *model, asked, search, cpu, loads.HighestThroughput());
    if (own_answer.start) {
      answer.recommendation->start =
          ForecastStart(*own_answer.start, own_answer.requested.cpu(), cpu, asked, model->ceiling);
    }
  }
  const Cores cpu = answer.recommendation->requested.cpu();
  const double more = same_objective ? 0
                                     : InFlight(*model, asked, cpu) -
                                           InFlight(*model, own, own_answer.requested.cpu());
  AnswerMemory(profile, question, more, answer);
  for (std::string& note : OutsideOfMeasured(profile, trials, asked, cpu)) {
    answer.within_measured = false;
    answer.notes.push_back(std::move(note));
  }
  if (!same_connections) {
    answer.within_measured = false;
    answer.notes.push_back("rows over connections of that kind were not measured");
  }
  JudgeForesight(own_answer, answer);
  return answer;
}

}  // namespace mlprof::server
