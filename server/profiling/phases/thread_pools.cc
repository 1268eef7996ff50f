#include "server/profiling/phases/thread_pools.h"

#include <algorithm>
#include <cmath>

#include "server/analysis/recommend.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kTrialTime{4};
// A gain below it is not worth a setting that somebody has to keep.
constexpr double kWorthwhile = 1.05;
// Half a step of the grid: less is no saving of CPU.
constexpr double kSavedCores = 0.05;

using Settings = std::map<std::string, std::string>;

struct PoolAttempt {
  int size = 1;
  Cores cpu;
};

int WholeCores(Cores cores) { return static_cast<int>(std::ceil(cores.value() - 1e-9)); }

// As many threads as the chosen limit has cores, and one: spinning threads may ask for cores they
// do nothing useful with.
std::vector<PoolAttempt> Attempts(Cores chosen) {
  const int whole = WholeCores(chosen);
  std::vector<PoolAttempt> attempts;
  if (whole > 1) attempts.push_back({1, Cores(1.0)});
  attempts.push_back({whole, chosen});
  return attempts;
}

std::optional<double> BaselineP95(const CpuCurve& curve, Cores cpu) {
  const auto at = std::find_if(curve.points.begin(), curve.points.end(),
                               [&](const CpuPoint& point) { return point.cpu == cpu; });
  if (at == curve.points.end() || at->p95_ms <= 0) return std::nullopt;
  return at->p95_ms;
}

// What a size brought: p95 without the settings over that with them, and cores.
struct Brought {
  double gain = 1;
  double saved = 0;

  bool worth_it() const { return saved > kSavedCores || gain >= kWorthwhile; }
};

// p95 beside that of the same limits without the settings.
double GainOf(std::optional<double> before, const LimitedRun& run) {
  const auto after = run.trial.measurements.latency_p95_ms;
  return before && after && *after > 0 ? *before / *after : 1;
}

// What one size brought, into the findings; true where it won.
bool Weigh(const LimitedRun& run, const Settings& settings, const Brought& brought,
           ThreadPoolFindings& found) {
  const bool won = run.verdict.passed && brought.worth_it();
  if (won || found.environment.empty() || brought.gain > found.gain.value_or(0)) {
    found.environment = settings;
    found.gain = brought.gain;
  }
  if (!won) return false;
  found.cpu_saved = std::max(0.0, brought.saved);
  found.adopted = true;
  return true;
}

// At the same limits, in a container of its own: what the search measured there was another minute
// of a host that may have been slower. nullopt where no time is left for it.
PhaseResult<std::optional<LimitedRun>> RunWithout(Lab& lab, Yardstick& yardstick,
                                                  const LimitedRunPlan& plan) {
  if (!LeavesRoomToProve(lab.budget(), yardstick)) return std::nullopt;
  yardstick.setup.environment.clear();
  MLPROF_LET(run, RunAtLimits(lab, yardstick, plan));
  yardstick.reference = run.reference;
  return std::move(run);
}

// As far as the container without the settings shows it. A model that runs as many threads with
// them did not hear of them, and what differs is chance. `searched`: the search tried that limit.
Brought SeenBeside(const std::optional<LimitedRun>& without, const LimitedRun& run,
                   const Brought& brought, bool searched) {
  if (!without || run.use.most_tasks >= without->use.most_tasks) return {};
  const double gain = GainOf(without->trial.measurements.latency_p95_ms, run);
  return {searched ? std::min(brought.gain, gain) : gain,
          without->verdict.passed ? 0 : brought.saved};
}

std::optional<std::string> Advice(const ThreadPoolEvidence& evidence, bool adopted, Cores chosen) {
  std::string advice;
  if (adopted) advice = "set the recommendation's environmentVariables where it is deployed";
  if (const auto more = AdviseOnPools(evidence, WholeCores(chosen))) {
    advice += (advice.empty() ? "" : "; ") + *more;
  }
  if (advice.empty()) return std::nullopt;
  return advice;
}

}  // namespace

ThreadPoolEvidence SeePools(const InferenceConfig& config, const agent_protocol::Ready& ready,
                            std::int64_t most_tasks, const CpuChoice& choice, const Cpuset& cpuset,
                            int host_cores) {
  ThreadPoolEvidence evidence;
  evidence.threads = std::max(ready.threads, static_cast<int>(most_tasks));
  evidence.processes = ready.processes;
  evidence.libraries = ready.thread_pools;
  evidence.entry_script = std::holds_alternative<EntryScriptConfig>(config.service);
  evidence.environment = config.environment_variables;
  evidence.limit = choice.cpu;
  evidence.throttled_share = choice.throttled_share;
  evidence.visible_cores = cpuset.cores();
  evidence.host_cores = host_cores;
  return evidence;
}

PhaseResult<PoolFacts> TryThreadPools(Lab& lab, Yardstick yardstick,
                                      const ThreadPoolEvidence& evidence, const CpuChoice& choice,
                                      const MeasuredNeed& need) {
  PoolFacts facts;
  facts.found.threads = evidence.threads;
  facts.found.processes = evidence.processes;
  facts.found.libraries = evidence.libraries;
  const Limits first = FirstAnswer(need, lab.ceiling());
  for (const PoolAttempt& attempt : Attempts(choice.cpu)) {
    const auto settings = SuggestPoolSizes(evidence, attempt.size);
    if (!settings) break;
    const LimitedRunPlan plan{first.With(attempt.cpu),
                              TrialPurpose::kThreadPools,
                              {kTrialTime, RequestsForConfidence(0.95), 2 * kTrialTime}};
    yardstick.setup.environment = *settings;
    MLPROF_LET(run, RunAtLimits(lab, yardstick, plan));
    yardstick.reference = run.reference;
    const auto baseline = BaselineP95(choice.curve, attempt.cpu);
    Brought brought{GainOf(baseline, run), choice.cpu.value() - attempt.cpu.value()};
    if (run.verdict.passed && brought.worth_it()) {
      MLPROF_LET(without, RunWithout(lab, yardstick, plan));
      brought = SeenBeside(without, run, brought, baseline.has_value());
    }
    if (Weigh(run, *settings, brought, facts.found)) {
      facts.cpu = attempt.cpu;
      break;
    }
  }
  facts.advice = Advice(evidence, facts.found.adopted, facts.cpu.value_or(choice.cpu));
  facts.reference = yardstick.reference;
  return facts;
}

}  // namespace mlprof::server::phases
