#include "server/profiling/phases/tightness.h"

#include <algorithm>

#include "server/analysis/descent.h"
#include "server/profiling/phases/plans.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kFirstTime{5};
// What is left when a run begins must hold a start, the rows and the margin for a slow start.
constexpr double kRunsThatMustFit = 1.5;
// A limit that is filled to more than this held by luck.
constexpr double kFullest = 0.95;

class Tightness {
 public:
  Tightness(RunContext& context, Proof proof) : context_(context), proof_(std::move(proof)) {}

  PhaseResult<void> DescendMemory() {
    return Descend(MemoryDescent(proof_.limits.memory), Shortage::kMemory, memory_tight_,
                   [this](Bytes memory) {
                     return Limits{proof_.limits.cpu, memory};
                   });
  }

  PhaseResult<void> DescendCpu() {
    return Descend(CpuDescent(proof_.limits.cpu), Shortage::kCpu, cpu_tight_, [this](Cores cpu) {
      return Limits{cpu, proof_.limits.memory};
    });
  }

  void Conclude() {
    std::optional<bool> tight;
    if (memory_tight_ && cpu_tight_) tight = *memory_tight_ && *cpu_tight_;
    Accept(context_, proof_, context_.observed.failed_tries, tight);
  }

 private:
  template <class Descent, class LimitsOf>
  PhaseResult<void> Descend(Descent descent, Shortage resource, std::optional<bool>& tight,
                            LimitsOf limits_of) {
    std::vector<LimitedRun> passes;
    while (const auto step = descent.Next()) {
      auto run = RunFairly(limits_of(*step), resource);
      if (!run) return tl::unexpected<RunEnd>(run.error());
      if (!*run) break;
      const LimitedRun& done = **run;
      if (done.verdict.passed && !MayTake(done, resource)) {
        tight = false;
        return {};
      }
      descent.Tell(done.verdict.passed);
      if (!done.verdict.passed) {
        context_.observed.failed_tries.push_back({done.trial.limits, resource});
        break;
      }
      passes.push_back(**std::move(run));
      if (descent.accepted() == *step) Take(limits_of(*step), passes);
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
      auto run = RunAtLimits(context_, StepPlan(limits));
      if (!run) return tl::unexpected<RunEnd>(run.error());
      const Verdict& verdict = run->verdict;
      if (verdict.passed) return *std::move(run);
      const bool disturbed = verdict.slow && JudgeNoise(run->noise).noisy;
      if (verdict.shortage == resource && !disturbed) return *std::move(run);
    }
    return std::nullopt;
  }

  LimitedRunPlan StepPlan(const Limits& limits) {
    context_.recorder.Progressed(0.5, "trying one step lower");
    LimitedRunPlan plan = ProofPlan(context_, limits, TrialPurpose::kTightness, 1);
    plan.time = std::min<std::chrono::nanoseconds>(plan.time, kFirstTime);
    return plan;
  }

  // As long as the slowest of the runs that proved the answer.
  bool Affordable() const {
    double longest = 0;
    for (const LimitedRun& run : proof_.passes) {
      longest = std::max(longest, run.trial.seconds);
    }
    const std::chrono::duration<double> needed =
        kRunsThatMustFit * std::chrono::duration<double>(longest) + TimeBeforeLoad(context_);
    return context_.budget().Left() > needed;
  }

  // Memory that was filled to the brim held by luck. Noise makes the reference slow and so a lower
  // CPU limit look good; a rate's room for bursts is kept whatever a short run says.
  bool MayTake(const LimitedRun& run, Shortage resource) {
    if (resource == Shortage::kCpu) {
      return !context_.observed.noisy && !context_.objective().requests_per_second;
    }
    const Bytes limit = run.trial.limits.memory;
    const Bytes used = run.use.peak_unreclaimable.value_or(limit) + run.use.peak_agent_memory;
    return used <= Scale(limit, kFullest);
  }

  void Take(const Limits& limits, std::vector<LimitedRun>& passes) {
    proof_ = {limits, std::exchange(passes, {})};
    Accept(context_, proof_, context_.observed.failed_tries, std::nullopt);
  }

  RunContext& context_;
  Proof proof_;
  std::optional<bool> memory_tight_;
  std::optional<bool> cpu_tight_;
};

// What was proven stays, whatever happens to a run that was only to show more; a stop, or records
// that cannot be written, end the profile all the same.
bool EndsTheProfile(RunContext& context, const RunEnd& end) {
  return end.state == ProfileState::kCanceled || !context.recorder.status();
}

}  // namespace

PhaseResult<void> TestTightness(RunContext& context, Proof proof) {
  context.recorder.EnterPhase(kTightness, "trying one step lower");
  Tightness tightness(context, std::move(proof));
  auto ended = tightness.DescendMemory();
  if (ended) ended = tightness.DescendCpu();
  if (!ended && EndsTheProfile(context, ended.error())) return ended;
  tightness.Conclude();
  context.recorder.FinishPhase(ended ? "done" : "cut short");
  return {};
}

}  // namespace mlprof::phases
