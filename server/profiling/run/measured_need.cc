#include "server/profiling/run/measured_need.h"

#include <algorithm>
#include <vector>

#include "server/analysis/first_visits.h"
#include "server/analysis/successors.h"
#include "server/profiling/run/proven.h"

namespace mlprof::server {
namespace {

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
  const phases::Proof* proof = ProofOf(facts);
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

}  // namespace mlprof::server
