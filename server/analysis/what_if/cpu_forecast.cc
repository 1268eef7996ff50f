#include "server/analysis/what_if/cpu_forecast.h"

#include <algorithm>

#include "server/analysis/in_flight.h"
#include "server/analysis/latency.h"
#include "server/analysis/recommend.h"
#include "server/analysis/sentence.h"
#include "server/analysis/start_cost.h"
#include "server/analysis/verdict.h"

namespace mlprof::server {
namespace {

// A simulated latency is to stay this far below the objective's. Chosen, not measured.
constexpr double kLatencyReserve = 0.95;
constexpr double kKeepsUp = 0.95;               // of what came of the rate. Chosen, not measured
constexpr std::int64_t kFewestRequests = 2000;  // twenty of them lie beyond the p99
constexpr Cores kFineGridEnd = Cores::FromTenths(20);

std::int64_t RequestsFor(const Objective& objective) {
  std::size_t requests = static_cast<std::size_t>(kFewestRequests);
  for (const auto& [key, ms] : objective.latency_ms) {
    requests = std::max(requests, 10 * RequestsForConfidence(QuantileOfKey(key).value_or(0.5)));
  }
  return static_cast<std::int64_t>(requests);
}

Cores NextOnGrid(Cores cpu) {
  if (cpu < kFineGridEnd) return cpu + kCpuQuantum;
  return std::max(Cores(cpu.value() * 1.1).RoundDownToGrid(), cpu + kCpuQuantum);
}

}  // namespace

CpuSearch::CpuSearch(const ServingModel& model, const Objective& objective)
    : model_(model), objective_(objective), requests_(RequestsFor(objective)) {
  at_ceiling_ = Simulate(model.ceiling);
}

QueueOutcome CpuSearch::Simulate(Cores cpu) const {
  return SimulateLoad(model_, objective_, cpu, requests_);
}

Cores CpuSearch::Floor() const {
  if (!objective_.requests_per_second) return kCpuQuantum;
  const double cores = *objective_.requests_per_second * model_.cpu_ms / 1000;
  return std::max(kCpuQuantum, Cores(cores / kUtilizationOfRate).RoundUpToGrid());
}

std::optional<Cores> CpuSearch::Smallest() const {
  for (Cores cpu = Floor(); cpu < model_.ceiling; cpu = NextOnGrid(cpu)) {
    if (Holds(Simulate(cpu))) return cpu;
  }
  if (Floor() <= model_.ceiling && Holds(at_ceiling_)) return model_.ceiling;
  return std::nullopt;
}

bool CpuSearch::Holds(const QueueOutcome& outcome) const {
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

std::string CpuSearch::NotEvenTheCeiling() const {
  if (Floor() > model_.ceiling) {
    return Sentence(
        "this rate wants %.1f cores, so that its bursts find room, and even the ceiling "
        "is %.1f cores",
        Floor().value(), model_.ceiling.value());
  }
  const QueueOutcome outcome = Simulate(model_.ceiling);
  return Sentence(
      "even the ceiling of %.1f cores would not hold this objective: it is foreseen to "
      "serve %.1f requests/s with p95 %.1f ms",
      model_.ceiling.value(), outcome.requests_per_second, CorrectedMs(model_, outcome, "p95"));
}

std::optional<std::string> StartsTooLate(const Profile& profile, Cores ceiling,
                                         const Objective& objective) {
  const auto& own = profile.recommendation->start;
  const auto& within = objective.start_within_seconds;
  if (!own || !within || own->at_ceiling.seconds <= *within) return std::nullopt;
  return Sentence("even at the ceiling of %.1f cores it starts in %.3g s", ceiling.value(),
                  own->at_ceiling.seconds);
}

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

double InFlight(const ServingModel& model, const Objective& objective, Cores cpu) {
  if (!objective.requests_per_second) return objective.ConcurrencyOrOne();
  const QueueOutcome outcome = SimulateLoad(model, objective, cpu, kFewestRequests);
  return InFlightAtMost(*objective.requests_per_second, objective.arrivals,
                        outcome.latencies.MeanMs().value_or(0) / 1000);
}

}  // namespace mlprof::server
