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
    MemoryDescent descent(proof_.limits.memory);
    std::vector<LimitedRun> passes;
    while (const auto memory = descent.Next()) {
      if (!Affordable()) break;
      auto run = Run({proof_.limits.cpu, *memory});
      if (!run) return tl::unexpected<RunEnd>(run.error());
      descent.Tell(run->verdict.passed);
      if (!run->verdict.passed) Failed(*run, Shortage::kMemory);
      if (!run->verdict.passed || IsFull(*run, *memory)) break;
      passes.push_back(*std::move(run));
      if (descent.accepted() == *memory) Take({proof_.limits.cpu, *memory}, passes);
    }
    memory_tight_ = descent.tight();
    return {};
  }

  PhaseResult<void> DescendCpu() {
    CpuDescent descent(proof_.limits.cpu);
    std::vector<LimitedRun> passes;
    while (const auto cpu = descent.Next()) {
      if (!Affordable()) break;
      auto run = Run({*cpu, proof_.limits.memory});
      if (!run) return tl::unexpected<RunEnd>(run.error());
      descent.Tell(run->verdict.passed);
      if (!run->verdict.passed) Failed(*run, Shortage::kCpu);
      if (!run->verdict.passed || !MayLowerCpu()) break;
      passes.push_back(*std::move(run));
      if (descent.accepted() == *cpu) Take({*cpu, proof_.limits.memory}, passes);
    }
    cpu_tight_ = descent.tight();
    return {};
  }

  void Conclude() {
    std::optional<bool> tight;
    if (memory_tight_ && cpu_tight_) tight = *memory_tight_ && *cpu_tight_;
    if (memory_tight_ == false || cpu_tight_ == false) tight = false;
    if (!memory_tight_ || !cpu_tight_) tight = std::nullopt;
    Accept(context_, proof_, context_.observed.failed_tries, tight);
  }

 private:
  // As long as the slowest of the runs that proved the answer.
  bool Affordable() const {
    double longest = 0;
    for (const LimitedRun& run : proof_.passes) {
      longest =
          std::max(longest, run.trial.seconds + run.trial.measurements.start_seconds.value_or(0));
    }
    const std::chrono::duration<double> left = context_.budget().Left();
    return left.count() > kRunsThatMustFit * longest;
  }

  PhaseResult<LimitedRun> Run(const Limits& limits) {
    context_.recorder.Progressed(0.5, "trying one step lower");
    LimitedRunPlan plan = ProofPlan(context_, limits, TrialPurpose::kTightness, 1);
    plan.time = std::min<std::chrono::nanoseconds>(plan.time, kFirstTime);
    return RunAtLimits(context_, plan);
  }

  // Noise makes the reference slow and so a lower limit look good; a rate's room for bursts is kept
  // whatever a short run says.
  bool MayLowerCpu() const {
    return !context_.observed.noisy && !context_.objective().requests_per_second;
  }

  bool IsFull(const LimitedRun& run, Bytes limit) const {
    const Bytes used = run.use.peak_unreclaimable.value_or(limit) + run.use.peak_agent_memory;
    return used > Scale(limit, kFullest);
  }

  void Take(const Limits& limits, std::vector<LimitedRun>& passes) {
    proof_ = {limits, std::exchange(passes, {})};
    Accept(context_, proof_, context_.observed.failed_tries, std::nullopt);
  }

  void Failed(const LimitedRun& run, Shortage shortage) {
    context_.observed.failed_tries.push_back({run.trial.limits, shortage});
  }

  RunContext& context_;
  Proof proof_;
  std::optional<bool> memory_tight_;
  std::optional<bool> cpu_tight_;
};

}  // namespace

PhaseResult<void> TestTightness(RunContext& context, Proof proof) {
  context.recorder.EnterPhase(kTightness, "trying one step lower");
  Tightness tightness(context, std::move(proof));
  auto ended = tightness.DescendMemory();
  if (ended) ended = tightness.DescendCpu();
  if (!ended && ended.error().state != ProfileState::kTimedOut) return ended;
  tightness.Conclude();
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
