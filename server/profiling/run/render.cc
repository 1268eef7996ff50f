#include "server/profiling/run/render.h"

#include <algorithm>

#include "server/profiling/run/answer.h"
#include "server/profiling/run/findings.h"
#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/no_answer.h"
#include "server/profiling/run/proven.h"
#include "server/profiling/run/warnings.h"

namespace mlprof::server {
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
