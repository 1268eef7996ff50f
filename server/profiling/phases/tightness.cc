#include "server/profiling/phases/tightness.h"

#include <algorithm>
#include <utility>

#include "server/analysis/descent.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kFirstTime{5};
// The budget that is left must hold so many times the slowest run that proved the answer: a run one
// step lower is slower. Chosen, not measured.
constexpr double kRunsThatMustFit = 1.5;
// A memory limit that was filled to more than this share held by luck (docs/decisions, 14).
constexpr double kFullest = 0.95;

class Descents {
 public:
  Descents(Lab& lab, Yardstick yardstick, const Verification& verification, const OnTightness& told)
      : lab_(lab), yardstick_(std::move(yardstick)), told_(told) {
    state_.proof = *verification.proof;
    state_.failed = verification.failed;
  }

  PhaseResult<void> LowerMemory() {
    const Cores cpu = state_.proof.limits.cpu;
    return Descend(MemoryDescent(state_.proof.limits.memory), Shortage::kMemory, memory_tight_,
                   [cpu](Bytes memory) {
                     return Limits{cpu, memory};
                   });
  }

  PhaseResult<void> LowerCpu() {
    const Bytes memory = state_.proof.limits.memory;
    return Descend(CpuDescent(state_.proof.limits.cpu), Shortage::kCpu, cpu_tight_,
                   [memory](Cores cpu) {
                     return Limits{cpu, memory};
                   });
  }

  Tightness Conclude() {
    if (memory_tight_ && cpu_tight_) state_.tight = *memory_tight_ && *cpu_tight_;
    state_.reference = yardstick_.reference;
    return std::move(state_);
  }

 private:
  template <class Descent, class LimitsOf>
  PhaseResult<void> Descend(Descent descent, Shortage resource, std::optional<bool>& tight,
                            LimitsOf limits_of) {
    std::vector<LimitedRun> passes;
    while (const auto step = descent.Next()) {
      MLPROF_LET(run, RunFairly(limits_of(*step), resource));
      if (!run) break;
      if (run->verdict.passed && !MayTake(*run, resource)) {
        tight = false;
        return {};
      }
      descent.Tell(run->verdict.passed);
      if (!run->verdict.passed) {
        state_.failed.push_back({run->trial.limits, resource});
        break;
      }
      passes.push_back(*std::move(run));
      if (descent.accepted() != *step) continue;
      state_.proof = {limits_of(*step), std::exchange(passes, {})};
      told_(state_);
    }
    tight = descent.tight();
    return {};
  }

  // A run whose outcome tells of `resource`: it passed, or failed for want of it. Once more where
  // it failed of something else, or for its speed on a busy host; nothing where that does not help,
  // or the budget does not hold it.
  PhaseResult<std::optional<LimitedRun>> RunFairly(const Limits& limits, Shortage resource) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!Affordable()) return std::nullopt;
      lab_.Progressed(0.5, "trying one step lower");
      MLPROF_LET(run, RunAtLimits(lab_, yardstick_, StepPlan(limits)));
      yardstick_.reference = run.reference;
      const Verdict& verdict = run.verdict;
      const bool disturbed = verdict.slow && JudgeNoise(run.noise).noisy;
      if (verdict.passed || (verdict.shortage == resource && !disturbed)) return std::move(run);
    }
    return std::nullopt;
  }

  LimitedRunPlan StepPlan(const Limits& limits) {
    LimitedRunPlan plan = ProofPlan(lab_.budget(), yardstick_, limits, TrialPurpose::kTightness, 1);
    plan.load.time = std::min<std::chrono::nanoseconds>(plan.load.time, kFirstTime);
    return plan;
  }

  // Whether the budget holds one more run, by the slowest of those that proved the answer.
  bool Affordable() {
    double longest = 0;
    for (const LimitedRun& run : state_.proof.passes) {
      longest = std::max(longest, run.trial.seconds);
    }
    const std::chrono::duration<double> needed =
        kRunsThatMustFit * std::chrono::duration<double>(longest) + TimeBeforeLoad(yardstick_);
    return lab_.budget().Left() > needed;
  }

  // Whether a lower limit that held may become the answer. Memory not, if it was filled nearly to
  // the limit. CPU not on a noisy host, where a slow reference makes a lower limit look good; and
  // not for a rate, whose room for bursts a short run does not test.
  bool MayTake(const LimitedRun& run, Shortage resource) {
    if (resource == Shortage::kCpu) {
      return !lab_.host().noisy() && !yardstick_.workload.objective.requests_per_second;
    }
    const Bytes limit = run.trial.limits.memory;
    const Bytes used = run.use.peak_unreclaimable.value_or(limit) + run.use.peak_agent_memory;
    return used <= Scale(limit, kFullest);
  }

  Lab& lab_;
  Yardstick yardstick_;
  const OnTightness& told_;
  Tightness state_;
  std::optional<bool> memory_tight_;
  std::optional<bool> cpu_tight_;
};

}  // namespace

// What was proven stays, whatever happens to a run that was only to show more; a stop ends the
// profile all the same.
Tightness TestTightness(Lab& lab, Yardstick yardstick, const Verification& verification,
                        const OnTightness& told) {
  Descents descents(lab, std::move(yardstick), verification, told);
  auto ended = descents.LowerMemory();
  if (ended) ended = descents.LowerCpu();
  Tightness tightness = descents.Conclude();
  tightness.cut_short = !ended.has_value();
  const bool canceled = !ended && ended.error().state == ProfileState::kCanceled;
  if (canceled || lab.stopped()) tightness.canceled = RunEnd{ProfileState::kCanceled, std::nullopt};
  return tightness;
}

}  // namespace mlprof::phases
