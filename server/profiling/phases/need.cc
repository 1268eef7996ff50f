#include "server/profiling/phases/need.h"

#include <algorithm>

#include "server/profiling/phases/row_records.h"

namespace mlprof::server::phases {
namespace {

double CoresOfLoop(const Objective& objective, std::span<const RequestRecord> serial,
                   const ResourceUse& use, int concurrency, double other_cores) {
  const int wanted = objective.ConcurrencyOrOne();
  const double mean = use.mean_cores.value_or(0) + use.agent_cores;
  // Other work on the host makes rows take longer and so lowers the mean, by no more than it took
  // itself: so much is added, but not beyond what the rows would use unhindered. On a quiet host
  // nothing is: there the mean is right, and `unhindered` too high, because what a server does
  // after its last byte overlaps with the next row.
  const double unhindered =
      std::max(UnhinderedCores(serial).value_or(0) * concurrency,
               CoresWithoutWaiting(use, concurrency).value_or(0) + use.agent_cores);
  const double cores = std::max(mean, std::min(mean + other_cores, unhindered));
  // Rows that were sent one at a time stand for the wanted concurrency at most so many times.
  return concurrency < wanted ? cores * wanted : cores;
}

// By the utilization law: the rate times the CPU time of one request, which hardly depends on
// noise.
double CoresOfRate(const Workload& workload, const ResourceUse& use, double rate,
                   const Trial& trial) {
  if (trial.requests_per_second) return use.mean_cores.value_or(0) + use.agent_cores;
  const double of_trial = trial.measurements.cpu_seconds_per_query.value_or(0);
  return rate * workload.cpu_seconds_per_query.value_or(of_trial);
}

}  // namespace

NeedSeen SeeNeed(const Container& container, const Workload& workload, const ReplayResult& replay,
                 const Trial& trial, std::span<const RequestRecord> serial, double other_cores) {
  const ResourceUse use = Summarize(container.SamplesOf(replay));
  const Objective& objective = workload.objective;
  NeedSeen seen;
  seen.cores = objective.requests_per_second
                   ? CoresOfRate(workload, use, *objective.requests_per_second, trial)
                   : CoresOfLoop(objective, serial, use, trial.concurrency, other_cores);
  seen.agent_memory = use.peak_agent_memory;
  // Over the container's whole life: the row that takes most may have come before this replay.
  seen.serving_peak = Summarize(container.Samples()).peak_unreclaimable.value_or(Bytes());
  return seen;
}

MeasuredNeed NeedOf(const MeasuredNeed& start, const Objective& objective,
                    std::span<const NeedSeen> seen) {
  MeasuredNeed need = start;
  if (objective.requests_per_second) need.cpu.utilization = kUtilizationOfRate;
  for (const NeedSeen& part : seen) {
    need.cpu.cores = part.cores;
    need.cpu.noisy = part.noisy;
    need.memory.serving_peak = std::max(need.memory.serving_peak, part.serving_peak);
    need.memory.agent_memory = std::max(need.memory.agent_memory, part.agent_memory);
  }
  return need;
}

}  // namespace mlprof::server::phases
