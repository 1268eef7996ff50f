#include "server/profiling/phases/narrowing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/analysis/limit_search.h"
#include "server/profiling/phases/filled_limit.h"

namespace mlprof::server::phases {
namespace {

// Of the ceiling: with so much of it a model that follows its limit takes hardly less than there.
// The need with its margin is 1.1 of what was taken, and 0.85 of that is less (TakesLess).
constexpr double kMostThatTells = 0.75;

// What was too little of what only a restart can try: it failed, or held and left no room.
std::vector<Amount> TooLittle(const Verification& so_far) {
  std::vector<Amount> too_little = so_far.held_barely;
  for (const FailedTry& attempt : so_far.failed) {
    if (attempt.disturbed || RulesOf(attempt.shortage).search == LimitSearch::kLive) continue;
    if (const auto failed = attempt.limits.Find(attempt.shortage)) too_little.push_back(*failed);
  }
  return too_little;
}

// Between the most of that and the limits: what was raised by a fifth at a time may have gone past
// the need.
std::optional<Amount> Gap(const Verification& so_far) {
  std::optional<Amount> middle;
  for (const Amount& low : TooLittle(so_far)) {
    const auto held = so_far.limits.Find(low.kind());
    if (!held) continue;
    const auto halfway = Halfway(low, *held);
    // Of several tries the one nearest to the limits counts.
    if (!halfway) return std::nullopt;
    if (!middle || *middle < *halfway) middle = halfway;
  }
  return middle;
}

// Whether a model may take what its limit lets it take: it took less than at the ceiling, or
// reserved less address space. Threads that the ceiling's CPU made more of reserve some, too.
bool MayFollowLimit(const Yardstick& yardstick, const Limits& ceiling, const LimitedRun& passed) {
  const UseAtCeiling& there = yardstick.at_ceiling;
  const auto used = passed.use.peak_unreclaimable;
  return used && (TakesLess(there.memory, *used) ||
                  ReservesByLimit({ceiling.memory(), there.address_space},
                                  {passed.trial.limits.memory(), passed.address_space}));
}

// Of two runs with the same CPU. A peak alone may be a row that came in the one and not in the
// other.
bool FollowsLimit(const LimitedRun& ample, const LimitedRun& passed) {
  const auto less = [](const std::optional<Bytes>& higher, const std::optional<Bytes>& lower) {
    return higher && lower && TakesLess(*higher, *lower);
  };
  return ReservesByLimit({ample.trial.limits.memory(), ample.address_space},
                         {passed.trial.limits.memory(), passed.address_space}) ||
         (less(ample.use.peak_unreclaimable, passed.use.peak_unreclaimable) &&
          less(ample.usual_memory, passed.usual_memory));
}

// As `passed`, with so much memory.
PhaseResult<LimitedRun> RunWith(Lab& lab, Yardstick& yardstick, const LimitedRun& passed,
                                Bytes memory) {
  MLPROF_LET(run, RunAtLimits(lab, yardstick,
                              ProofPlan(lab.budget(), yardstick, passed.trial.limits.With(memory),
                                        TrialPurpose::kMemoryProbe, kContainers)));
  yardstick.reference = run.reference;
  return run;
}

// One more run with all memory tells, as a run at limits is shorter than what was served there.
PhaseResult<std::optional<HeapByLimit>> SeeHeapWithMore(Lab& lab, Yardstick& yardstick,
                                                        const LimitedRun& passed) {
  const Bytes ceiling = lab.ceiling().memory();
  if (!MayFollowLimit(yardstick, lab.ceiling(), passed)) return std::nullopt;
  lab.Progressed(0.3, "seeing whether the model takes more memory where it may");
  MLPROF_LET(ample, RunWith(lab, yardstick, passed, ceiling));
  const auto used_there = ample.use.peak_unreclaimable;
  if (!used_there || !FollowsLimit(ample, passed)) return std::nullopt;
  return HeapByLimit{passed.trial.limits.memory(), *passed.use.peak_unreclaimable, ceiling,
                     *used_there};
}

Bytes LeastMemory(const Yardstick& yardstick) {
  return std::max(kSmallestLimits.memory(), yardstick.workload.least_memory);
}

Bytes HalfOf(Bytes memory) { return RoundUp(Scale(memory, 0.5), kMemoryQuantum); }

// Of a model that took nearly all there is: whether it takes less where it has half of it, and is
// still served, or collects its heap. What is killed there needs it.
PhaseResult<std::optional<HeapByLimit>> SeeHeapWithLess(Lab& lab, Yardstick& yardstick,
                                                        const LimitedRun& passed) {
  const Bytes memory = passed.trial.limits.memory();
  const Bytes half = HalfOf(memory);
  if (half < LeastMemory(yardstick)) return std::nullopt;
  lab.Progressed(0.3, "seeing whether the model takes less memory where it must");
  MLPROF_LET(less, RunWith(lab, yardstick, passed, half));
  const bool served = less.verdict.passed || less.verdict.collecting_cost;
  if (!served || less.killed || !FollowsLimit(passed, less)) return std::nullopt;
  const Bytes used = passed.use.peak_unreclaimable.value_or(yardstick.at_ceiling.memory);
  return HeapByLimit{memory, used, memory, used};  // until less is proven
}

PhaseResult<std::optional<HeapByLimit>> SeeHeap(Lab& lab, Yardstick& yardstick,
                                                const LimitedRun& passed) {
  const bool seeable =
      !yardstick.workload.each_row_once && LeavesRoomToProve(lab.budget(), yardstick);
  if (!seeable) return std::nullopt;
  const bool tells = passed.trial.limits.memory() <= Scale(lab.ceiling().memory(), kMostThatTells);
  return tells ? SeeHeapWithMore(lab, yardstick, passed) : SeeHeapWithLess(lab, yardstick, passed);
}

// The most memory of it.
Bytes MostMemoryTooLittle(const Verification& so_far) {
  Bytes most;
  for (const Amount& low : TooLittle(so_far)) {
    if (low.kind() == ResourceKind::kMemory) most = std::max(most, low.bytes());
  }
  return most;
}

// A model that takes what its limit lets it take is tried with half of it, until that is too
// little. Gives what passed last.
PhaseResult<ProofAttempt> Halve(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                Verification& so_far) {
  while (LeavesRoomToProve(lab.budget(), yardstick)) {
    const Bytes half = HalfOf(so_far.limits.memory());
    if (half < LeastMemory(yardstick) || half <= MostMemoryTooLittle(so_far) ||
        half >= so_far.limits.memory())
      break;
    const Limits limits = so_far.limits.With(half);
    MLPROF_LET(attempt, TryToProve(lab, yardstick, limits, 1));
    if (attempt.failure) {
      // Nothing but memory was taken from it: collecting without rest is slow, too.
      const LimitedRun& run = *attempt.failure;
      if (!IsDisturbed(run)) {
        so_far.failed.push_back({limits, ResourceKind::kMemory, run.verdict.tail});
      }
      break;
    }
    if (!MayBecomeAnswer(yardstick, attempt.passes.back(), ResourceKind::kMemory)) break;
    so_far.limits = limits;
    passed = std::move(attempt);
  }
  return passed;
}

// Whether what passed may become the answer. A heap takes less where it has less.
bool LeftRoom(const Yardstick& yardstick, const LimitedRun& run, ResourceKind kind,
              const Verification& so_far) {
  return MayBecomeAnswer(yardstick, run, kind) &&
         (so_far.heap || !TookLessWhereFull(yardstick, run));
}

// From limits at which a container passed downward. Gives what passed last.
PhaseResult<ProofAttempt> Narrow(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                 Verification& so_far) {
  while (const auto middle = Gap(so_far)) {
    if (!LeavesRoomToProve(lab.budget(), yardstick)) break;
    const Limits limits = so_far.limits.With(*middle);
    MLPROF_LET(attempt, TryToProve(lab, yardstick, limits, 1));
    if (!attempt.failure) {
      const LimitedRun& run = attempt.passes.back();
      // No other amount mends that.
      if (yardstick.workload.grows_with_inputs && !run.saw_all_rows) break;
      if (!LeftRoom(yardstick, run, middle->kind(), so_far)) {
        so_far.held_barely.push_back(*middle);
        continue;
      }
      so_far.limits = limits;
      passed = std::move(attempt);
      continue;
    }
    const LimitedRun& run = *attempt.failure;
    // Of a heap nothing but memory was taken: collecting without rest is slow, too.
    const bool of_heap =
        so_far.heap && middle->kind() == ResourceKind::kMemory && !run.verdict.unreached;
    if ((run.verdict.shortage != middle->kind() && !of_heap) || IsDisturbed(run)) break;
    so_far.failed.push_back({limits, middle->kind(), run.verdict.tail});
  }
  return passed;
}

// Three containers a step lower, of which the last may fail, and the two that are missing above it:
// each takes what the one that held did.
bool HoldsStepAndProof(const Budget& budget, const LimitedRun& run) {
  constexpr int kRuns = 5;
  const std::chrono::milliseconds start(
      static_cast<std::int64_t>(1000 * run.trial.measurements.start_seconds.value_or(0)));
  return budget.Left() > kRuns * (run.took - start + budget.ChargeOf(start));
}

// A step of memory less, where what the first container used fits into it, and what was in use at
// the ceiling too.
std::optional<Limits> StepThatFits(const Budget& budget, const Yardstick& yardstick,
                                   const ProofAttempt& passed, const Verification& so_far) {
  // A heap that its limit sizes uses less with less, whatever it needs.
  if (so_far.heap || passed.Lacks()) return std::nullopt;
  const LimitedRun& run = passed.passes.back();
  if (!HoldsStepAndProof(budget, run)) return std::nullopt;
  const auto step = OneStepLower(so_far.limits.memory());
  if (!step || step->bytes() <= MostMemoryTooLittle(so_far)) return std::nullopt;
  const Bytes at_ceiling = yardstick.at_ceiling.memory + run.use.peak_agent_memory;
  if (PercentOf(*step, kFullestPercent).bytes() < at_ceiling) return std::nullopt;
  const Limits limits = so_far.limits.With(*step);
  return LeavesRoom(yardstick, run, limits, ResourceKind::kMemory) ? std::optional(limits)
                                                                   : std::nullopt;
}

// All containers at that step; nullopt where they do not prove it, and the limits above it, at
// which one held, are still to be proven.
PhaseResult<std::optional<ProofAttempt>> ProveStepThatFits(Lab& lab, Yardstick& yardstick,
                                                           const ProofAttempt& passed,
                                                           Verification& so_far) {
  const auto limits = StepThatFits(lab.budget(), yardstick, passed, so_far);
  if (!limits || so_far.step_tried == limits->memory()) return std::nullopt;
  so_far.step_tried = limits->memory();
  so_far.step_passes = 0;
  ProofAttempt attempt;
  attempt.tried_again = true;  // what fails once is not asked for
  for (int containers = 1; containers <= kContainers; ++containers) {
    MLPROF_LET(tried, TryToProve(lab, yardstick, *limits, containers, std::move(attempt)));
    attempt = std::move(tried);
    if (attempt.failure) break;
    if (attempt.passes.back().lacks) return std::nullopt;
    if (LeftRoom(yardstick, attempt.passes.back(), ResourceKind::kMemory, so_far)) continue;
    so_far.step_passes = containers;
    return std::nullopt;
  }
  if (attempt.failure) {
    const LimitedRun& run = *attempt.failure;
    if (run.verdict.shortage == ResourceKind::kMemory && !IsDisturbed(run) &&
        !IsSlowWithFewPages(run)) {
      FailedTry failed{*limits, ResourceKind::kMemory, run.verdict.tail};
      failed.passes = static_cast<int>(attempt.passes.size());
      so_far.failed.push_back(failed);
    }
    return std::nullopt;
  }
  so_far.limits = *limits;
  return attempt;
}

}  // namespace

PhaseResult<ProofAttempt> ProveNarrowly(Lab& lab, Yardstick& yardstick, Verification& so_far,
                                        ProofAttempt begun) {
  const Limits first = so_far.limits;
  MLPROF_LET(passed, TryToProve(lab, yardstick, first, 1, std::move(begun)));
  if (passed.failure) return std::move(passed);
  if (!so_far.heap_seen) {
    MLPROF_LET(heap, SeeHeap(lab, yardstick, passed.passes.front()));
    so_far.heap = heap;
    so_far.heap_seen = true;
  }
  if (so_far.heap) {
    MLPROF_LET(halved, Halve(lab, yardstick, std::move(passed), so_far));
    passed = std::move(halved);
  }
  MLPROF_LET(narrowed, Narrow(lab, yardstick, std::move(passed), so_far));
  MLPROF_LET(less, ProveStepThatFits(lab, yardstick, narrowed, so_far));
  if (less) return *std::move(less);
  MLPROF_LET(proven, TryToProve(lab, yardstick, so_far.limits, kContainers, std::move(narrowed)));
  // What held with more memory, and was given less because its heap follows the limit, lacks that.
  const bool lowered = so_far.heap && so_far.limits.memory() < first.memory();
  if (lowered && proven.failure && !IsDisturbed(*proven.failure) &&
      !proven.failure->verdict.unreached) {
    proven.failure->verdict.shortage = ResourceKind::kMemory;
    proven.failure->verdict.collecting_cost.reset();
  }
  return std::move(proven);
}

}  // namespace mlprof::server::phases
