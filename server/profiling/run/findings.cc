#include "server/profiling/run/findings.h"

#include <algorithm>

#include "server/analysis/memory_savings.h"
#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/proven.h"

namespace mlprof::server {
namespace {

// Under load alone. Of a heap that follows its limit it is that of the answer; where a row ended a
// container, what was served in it is known with its start alone.
Bytes ServingPeak(const RunFacts& facts) {
  const bool by_limit = facts.verification && facts.verification->heap;
  if (!facts.plateau || by_limit || !facts.kills.rows.empty())
    return NeedOf(facts).memory.serving_peak;
  return facts.plateau->peak_since_first_row;
}

std::optional<MemoryFindings> MemoryOf(const RunFacts& facts, std::optional<double> hours) {
  if (!facts.plateau && !facts.fatal_growth) return std::nullopt;
  const MeasuredNeed need = NeedOf(facts);
  MemoryFindings found;
  if (facts.plateau) {
    found.trend = facts.plateau->trend;
    found.requests = facts.plateau->requests;
    found.bytes_per_request = facts.plateau->bytes_per_request;
    found.steady_confidence = facts.plateau->steady_confidence;
  }
  if (facts.fatal_growth) {
    found.trend = MemoryTrend::kGrowing;
    found.requests = facts.fatal_growth->requests;
    found.bytes_per_request = facts.fatal_growth->bytes_per_request;
    found.steady_confidence.reset();
  }
  found.hours_to_out_of_memory = hours;
  found.load_peak = need.memory.start_peak;
  found.serving_peak = ServingPeak(facts);
  if (facts.hot_file) found.hot_file = facts.hot_file->hot_file;
  if (const Bytes files = UnpaidFiles(facts); files > Bytes()) found.files_of_others = files;
  if (facts.curve) found.per_concurrent_request = facts.curve->memory_per_request;
  if (facts.objective.requests_per_second && facts.load && facts.load->in_flight) {
    found.in_flight = need.memory.in_flight;
  }
  return found;
}

std::optional<OverloadFindings> OverloadOf(const RunFacts& facts) {
  std::optional<OverloadFindings> found;
  for (const ContainerFacts& container : facts.containers) {
    if (!container.overload || !container.served_model) continue;
    if (!found) found.emplace();
    const Overload& seen = *container.overload;
    found->max_utilized_memory = std::max(found->max_utilized_memory, seen.peak_unreclaimable);
    found->max_utilized_cpu = std::max(found->max_utilized_cpu, seen.max_cores);
    if (seen.concurrency > 0) {
      found->concurrency = std::max(found->concurrency.value_or(0), seen.concurrency);
    }
  }
  return found;
}

}  // namespace

MemoryMakeUp MakeUpOf(const RunFacts& facts) {
  MemoryMakeUp make_up;
  const MemoryNeed need = NeedOf(facts).memory;
  if (facts.starts) make_up.start_peak = need.start_peak;
  if (facts.load) {
    make_up.serving = ServingPeak(facts) + need.successors + need.meeting + need.hot_file;
    make_up.busy_cores = NeedOf(facts).cpu.cores;
  }
  make_up.in_flight = std::max(facts.in_flight, facts.objective.ConcurrencyOrOne());
  make_up.open_loop = facts.objective.requests_per_second.has_value();
  // What leaked between two levels is no row in flight.
  const bool grows = Grows(facts);
  if (facts.curve && !grows) {
    for (const LoadLevel& level : facts.curve->curve.levels) {
      if (level.peak_memory) make_up.peak_by_in_flight[level.concurrency] = *level.peak_memory;
    }
  }
  if (facts.row_pass) {
    make_up.rows = facts.row_pass->memory;
    make_up.rows_sampled = facts.row_pass->sampled;
  }
  if (const auto workers = WorkersOf(facts)) {
    make_up.workers = workers->count;
    make_up.per_worker = workers->per_worker_memory;
  }
  make_up.mapped_file = facts.mapped_file;
  make_up.arenas = facts.arenas;
  make_up.parameters = facts.parameters.stored;
  make_up.parameters_in_half = facts.parameters.in_half;
  return make_up;
}

ArenaEvidence ArenaEvidenceOf(const RunFacts& facts, const InferenceConfig& config) {
  ArenaEvidence evidence;
  evidence.threads = std::max(facts.starts->ready.threads, static_cast<int>(facts.most_tasks));
  evidence.processes = facts.starts->ready.processes;
  evidence.environment = config.environment_variables;
  evidence.start_peak = NeedOf(facts).memory.start_peak;
  evidence.serving_peak = ServingPeak(facts);
  return evidence;
}

void AddSavings(const RunFacts& facts, ProfileError& error) {
  // No limit lasts for a model that grows.
  if (error.code != "OutOfMemory" || facts.fatal_growth) return;
  const bool filled = std::ranges::any_of(facts.containers, &ContainerFacts::filled_ceiling);
  MemoryMakeUp make_up = MakeUpOf(facts);
  // It asked for all that there was, and for more; one that never started for no one knows how
  // much.
  if (filled && facts.starts && !error.allocation) make_up.serving = facts.host.ceiling.memory();
  std::vector<std::string> advice;
  for (const MemorySaving& saving : FindMemorySavings(make_up)) advice.push_back(Sentence(saving));
  // What was refused below the limit knows more of its cause than what was measured before.
  const auto at = filled && !error.allocation ? error.advice.begin() : error.advice.end();
  error.advice.insert(at, advice.begin(), advice.end());
}

Findings FindingsOf(const RunFacts& facts, std::optional<double> hours) {
  Findings findings;
  findings.replay = facts.replay;
  if (facts.curve && !facts.curve->curve.levels.empty()) findings.load = facts.curve->curve;
  if (facts.cpu && !facts.cpu->curve.points.empty()) findings.cpu = facts.cpu->curve;
  findings.memory = MemoryOf(facts, hours);
  if (facts.row_pass) {
    findings.payload = facts.row_pass->payload;
    findings.heavy_rows = facts.row_pass->named;
    findings.cold_rows = facts.row_pass->cold;
    findings.input_growth = facts.row_pass->growth;
  }
  if (facts.warm_up) findings.response_cache = facts.warm_up->cache;
  findings.killing_rows.assign(facts.kills.rows.begin(), facts.kills.rows.end());
  if (facts.pools) findings.thread_pools = facts.pools->found;
  findings.overload = OverloadOf(facts);
  findings.memory_savings = FindMemorySavings(MakeUpOf(facts));
  return findings;
}

}  // namespace mlprof::server
