#include "server/profiling/phases/thread_pools.h"

#include <algorithm>
#include <cmath>

#include "server/analysis/thread_pools.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kTrialTime{4};
// A gain below it is not worth a setting that somebody has to keep.
constexpr double kWorthwhile = 1.05;

struct Attempt {
  int size = 1;
  Cores cpu;
};

Cores Chosen(const RunContext& context) {
  return context.observed.chosen_cpu.value_or(context.ceiling.cpu);
}

ThreadPoolEvidence Evidence(RunContext& context, std::int64_t most_tasks) {
  ThreadPoolEvidence evidence;
  const agent_protocol::Ready& ready = context.observed.ready;
  evidence.threads = std::max(ready.threads, static_cast<int>(most_tasks));
  evidence.processes = ready.processes;
  evidence.libraries = ready.thread_pools;
  evidence.entry_script = std::holds_alternative<EntryScriptConfig>(context.config().service);
  evidence.environment = context.config().environment_variables;
  evidence.limit = Chosen(context);
  evidence.throttled_share = context.observed.throttled_at_choice;
  evidence.host_cores = context.host_cores;
  return evidence;
}

// As many threads as the chosen limit has cores, and one: spinning threads may ask for cores they
// do nothing useful with.
std::vector<Attempt> Attempts(Cores chosen) {
  const int whole = static_cast<int>(std::ceil(chosen.value() - 1e-9));
  std::vector<Attempt> attempts;
  if (whole > 1) attempts.push_back({1, Cores(1.0)});
  attempts.push_back({whole, chosen});
  return attempts;
}

std::optional<double> BaselineP95(RunContext& context, Cores cpu) {
  const auto& curve = context.profile().findings.cpu;
  if (!curve) return std::nullopt;
  const auto at = std::find_if(curve->points.begin(), curve->points.end(),
                               [&](const CpuPoint& point) { return point.cpu == cpu; });
  if (at == curve->points.end() || at->p95_ms <= 0) return std::nullopt;
  return at->p95_ms;
}

// Tries one size; true where it won.
PhaseResult<bool> Try(RunContext& context, const Attempt& attempt,
                      const std::map<std::string, std::string>& settings) {
  const Limits limits{attempt.cpu, FirstAnswer(context.observed.need, context.ceiling).memory};
  context.environment = settings;
  const auto run = RunAtLimits(context, {limits, TrialPurpose::kThreadPools, kTrialTime,
                                         RequestsForConfidence(0.95), 2 * kTrialTime});
  context.environment.clear();
  if (!run) return tl::unexpected<RunEnd>(run.error());
  ThreadPoolFindings& findings = *context.profile().findings.thread_pools;
  const auto before = BaselineP95(context, attempt.cpu);
  const auto after = run->trial.measurements.latency_p95_ms;
  const double saved = Chosen(context).value() - attempt.cpu.value();
  const double gain = before && after && *after > 0 ? *before / *after : 1;
  if (findings.environment.empty() || gain > findings.gain.value_or(0)) {
    findings.environment = settings;
    findings.gain = gain;
  }
  const bool won = run->verdict.passed && (saved > 0.05 || gain >= kWorthwhile);
  if (!won) return false;
  findings.environment = settings;
  findings.gain = gain;
  findings.cpu_saved = std::max(0.0, saved);
  findings.adopted = true;
  return true;
}

void Advise(RunContext& context, const ThreadPoolEvidence& evidence) {
  const ThreadPoolFindings& found = *context.profile().findings.thread_pools;
  const int size = static_cast<int>(std::ceil(Chosen(context).value() - 1e-9));
  std::string advice;
  if (found.adopted) advice = "set the recommendation's environmentVariables where it is deployed";
  if (const auto more = AdviseOnPools(evidence, size)) {
    advice += (advice.empty() ? "" : "; ") + *more;
  }
  if (advice.empty()) return;
  context.recorder.Warn(
      {"threadPools",
       std::to_string(found.threads) +
           " threads share a limit below the host's cores: pools that count cores "
           "and not the quota are throttled by it",
       advice});
}

}  // namespace

PhaseResult<void> TryThreadPools(RunContext& context, std::int64_t most_tasks) {
  const ThreadPoolEvidence evidence = Evidence(context, most_tasks);
  if (!PoolsSuspected(evidence) || !LeavesRoomToProve(context)) return {};
  context.recorder.EnterPhase(kThreadPools, "trying smaller thread pools");
  ThreadPoolFindings findings;
  findings.threads = evidence.threads;
  findings.processes = evidence.processes;
  findings.libraries = evidence.libraries;
  context.profile().findings.thread_pools = findings;
  for (const Attempt& attempt : Attempts(Chosen(context))) {
    const auto settings = SuggestPoolSizes(evidence, attempt.size);
    if (!settings) break;
    const auto won = Try(context, attempt, *settings);
    if (!won) return tl::unexpected<RunEnd>(won.error());
    if (!*won) continue;
    context.environment = *settings;
    context.observed.chosen_cpu = attempt.cpu;
    context.recorder.Answer(AnswerAt(context, CurrentLimits(context), {}));
    break;
  }
  Advise(context, evidence);
  const bool adopted = context.profile().findings.thread_pools->adopted;
  context.recorder.FinishPhase(adopted ? "a smaller size won" : "no size won");
  return {};
}

}  // namespace mlprof::phases
