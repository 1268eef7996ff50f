#include "server/profiling/run/render.h"

#include <algorithm>

#include "server/profiling/run/answer.h"
#include "server/profiling/run/warnings.h"

namespace mlprof::server {
namespace {

// Of the phase that came last.
std::optional<Measurements> LastMeasured(const RunFacts& facts) {
  if (const phases::Proof* proof = ProofOf(facts)) return proof->passes.back().trial.measurements;
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

std::optional<MemoryFindings> MemoryOf(const RunFacts& facts, std::optional<double> hours) {
  if (!facts.plateau) return std::nullopt;
  const MeasuredNeed need = NeedOf(facts);
  MemoryFindings found;
  found.trend = facts.plateau->trend;
  found.requests = facts.plateau->requests;
  found.bytes_per_request = facts.plateau->bytes_per_request;
  found.hours_to_out_of_memory = hours;
  found.load_peak = need.memory.start_peak;
  found.serving_peak = need.memory.serving_peak;
  if (facts.hot_file) found.hot_file = facts.hot_file->hot_file;
  if (facts.curve) found.per_concurrent_request = facts.curve->memory_per_request;
  found.steady_confidence = facts.plateau->steady_confidence;
  return found;
}

Findings FindingsOf(const RunFacts& facts, std::optional<double> hours) {
  Findings findings;
  findings.replay = facts.replay;
  if (facts.curve && !facts.curve->curve.levels.empty()) findings.load = facts.curve->curve;
  if (facts.cpu) findings.cpu = facts.cpu->curve;
  findings.memory = MemoryOf(facts, hours);
  if (facts.row_pass) {
    findings.payload = facts.row_pass->payload;
    findings.heavy_rows = facts.row_pass->named;
  }
  findings.killing_rows.assign(facts.kills.rows.begin(), facts.kills.rows.end());
  if (facts.pools) findings.thread_pools = facts.pools->found;
  return findings;
}

}  // namespace

void Render(const RunFacts& facts, const std::vector<Warning>& given, Profile& profile) {
  profile.recommendation = AnswerOf(facts);
  profile.measurements = MeasurementsOf(facts);
  const auto hours = HoursToOutOfMemory(facts, profile.recommendation, profile.measurements);
  profile.findings = FindingsOf(facts, hours);
  if (profile.host) profile.host->noise = facts.noise.sentence;
  profile.warnings = given;
  for (Warning& warning : WarningsOf(facts, hours)) profile.warnings.push_back(std::move(warning));
}

}  // namespace mlprof::server
