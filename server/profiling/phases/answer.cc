#include "server/profiling/phases/answer.h"

#include <algorithm>

#include "server/analysis/resource_use.h"
#include "server/profiling/phases/row_records.h"

namespace mlprof::phases {
namespace {

double CoresOfLoop(const RunContext& context, const ResourceUse& use, int concurrency,
                   double other_cores) {
  const int objective = context.recorder.profile().request.objective.ConcurrencyOrOne();
  const double mean = use.mean_cores.value_or(0) + use.agent_cores;
  // Other work that makes rows take longer lowers a mean over time, by what it took at most. On a
  // quiet host the mean is the truth: what a server does after its last byte overlaps with the next
  // row.
  const double unhindered =
      std::max(UnhinderedCores(context.observed.serial_requests).value_or(0) * concurrency,
               CoresWithoutWaiting(use, concurrency).value_or(0) + use.agent_cores);
  const double cores = std::max(mean, std::min(mean + other_cores, unhindered));
  // At most, for rows that were sent one at a time.
  return concurrency < objective ? cores * objective : cores;
}

// By the utilization law: the rate times the CPU time of one request, which hardly depends on
// noise.
double CoresOfRate(const RunContext& context, const ResourceUse& use, double rate,
                   const Trial& trial) {
  if (trial.requests_per_second) return use.mean_cores.value_or(0) + use.agent_cores;
  const double of_trial = trial.measurements.cpu_seconds_per_query.value_or(0);
  return rate * context.observed.cpu_seconds_per_query.value_or(of_trial);
}

}  // namespace

void AnswerSoFar(RunContext& context, RunningModel& model, const ReplayResult& replay,
                 const Trial& trial, double other_cores) {
  const ResourceUse use = Summarize(model.SamplesOf(replay));
  MeasuredNeed& need = context.observed.need;
  if (const auto rate = context.objective().requests_per_second) {
    need.cores = CoresOfRate(context, use, *rate, trial);
    need.utilization = kUtilizationOfRate;
  } else {
    need.cores = CoresOfLoop(context, use, trial.concurrency, other_cores);
  }
  need.noisy = context.observed.noisy;
  need.agent_memory = std::max(need.agent_memory, use.peak_agent_memory);
  // Rows before these count as serving too: the largest may have come only there.
  need.serving_peak = std::max(
      need.serving_peak, Summarize(model.session().Samples()).peak_unreclaimable.value_or(Bytes()));
  context.profile().measurements = trial.measurements;
  context.recorder.Answer(AnswerAt(context, CurrentLimits(context), {}));
}

Limits CurrentLimits(const RunContext& context) {
  Limits limits = FirstAnswer(context.observed.need, context.ceiling);
  if (context.observed.chosen_cpu) limits.cpu = *context.observed.chosen_cpu;
  return limits;
}

Recommendation AnswerAt(RunContext& context, const Limits& limits,
                        const std::vector<FailedTry>& failed) {
  Recommendation answer = Recommend(limits, context.observed.need, context.ceiling, failed);
  answer.environment_variables = context.environment;
  return answer;
}

}  // namespace mlprof::phases
