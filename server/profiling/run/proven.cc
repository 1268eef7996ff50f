#include "server/profiling/run/proven.h"

#include <algorithm>

namespace mlprof::server {

using phases::LimitedRun;
using phases::Proof;

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

Bytes UnpaidFiles(const RunFacts& facts) {
  return facts.verification ? facts.verification->files_of_others : Bytes();
}

std::vector<FailedTry> FailedBefore(const RunFacts& facts) {
  if (facts.tightness) return facts.tightness->failed;
  return facts.verification ? facts.verification->failed : std::vector<FailedTry>();
}

}  // namespace mlprof::server
