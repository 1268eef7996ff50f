#include "server/profiling/phases/heap_search.h"

#include <algorithm>
#include <utility>

#include "server/profiling/phases/filled_limit.h"
#include "server/profiling/phases/too_little.h"

namespace mlprof::server::phases {
namespace {

// Of the ceiling: with so much of it a model that follows its limit takes hardly less than there.
// The need with its margin is 1.1 of what was taken, and 0.85 of that is less (TakesLess).
constexpr double kMostThatTells = 0.75;

// As much memory more is worth a container. Chosen.
constexpr double kClearlyMore = 1.5;

bool MayPayForMemory(const LimitedRun& run) {
  return run.collecting_cost.value_or(0) >= kCollectingCost;
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

// One more run with all memory tells, as a run at limits is shorter than what was served there.
PhaseResult<std::optional<HeapByLimit>> SeeHeapWithMore(Lab& lab, Yardstick& yardstick,
                                                        const LimitedRun& passed) {
  const Bytes ceiling = lab.ceiling().memory();
  if (!MayFollowLimit(yardstick, lab.ceiling(), passed)) return std::nullopt;
  lab.Progressed(0.3, "seeing whether the model takes more memory where it may");
  MLPROF_LET(ample, RunWithMemory(lab, yardstick, passed, ceiling));
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
  MLPROF_LET(less, RunWithMemory(lab, yardstick, passed, half));
  const bool served = less.verdict.passed || less.verdict.collecting_cost;
  if (!served || less.killed || !FollowsLimit(passed, less)) return std::nullopt;
  const Bytes used = passed.use.peak_unreclaimable.value_or(yardstick.at_ceiling.memory);
  return HeapByLimit{memory, used, memory, used};  // until less is proven
}

// Whether requests of `run` pay with CPU for memory that others had, which ran with the same CPU a
// while before: a request took `cost_with_more` there (LimitedRun::cost_of_ceiling). A slower host
// makes both dear.
bool PaysForLessMemory(const LimitedRun& run, const std::optional<double>& cost_with_more) {
  return MayPayForMemory(run) && cost_with_more &&
         *run.cost_of_ceiling > kClearlyDearer * *cost_with_more;
}

}  // namespace

bool LeftRoom(const Yardstick& yardstick, const LimitedRun& run, ResourceKind kind,
              const Verification& so_far) {
  const bool pays = kind == ResourceKind::kMemory && PaysForLessMemory(run, so_far.cost_with_more);
  return !pays && MayBecomeAnswer(yardstick, run, kind) &&
         (so_far.heap || !TookLessWhereFull(yardstick, run));
}

void NoteHeldBarely(const LimitedRun& run, const Amount& amount, Verification& so_far) {
  so_far.held_barely.push_back(amount);
  if (amount.kind() != ResourceKind::kMemory || !MayPayForMemory(run)) return;
  so_far.paid.push_back({run.trial.limits, *run.cost_of_ceiling});
}

PhaseResult<std::optional<HeapByLimit>> SeeHeap(Lab& lab, Yardstick& yardstick,
                                                const LimitedRun& passed) {
  const bool seeable =
      !yardstick.workload.each_row_once && LeavesRoomToProve(lab.budget(), yardstick);
  if (!seeable) return std::nullopt;
  const bool tells = passed.trial.limits.memory() <= Scale(lab.ceiling().memory(), kMostThatTells);
  return tells ? SeeHeapWithMore(lab, yardstick, passed) : SeeHeapWithLess(lab, yardstick, passed);
}

PhaseResult<ProofAttempt> DoubleHeap(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
                                     Verification& so_far) {
  while (MayPayForMemory(passed.passes.back()) && LeavesRoomToProve(lab.budget(), yardstick)) {
    const Bytes memory = so_far.limits.memory();
    const auto twice =
        Raise(so_far.limits, ResourceKind::kMemory, lab.ceiling(), Shortfall::kOfHeap);
    const bool worth_it = twice && twice->memory() >= Scale(memory, kClearlyMore);
    if (!worth_it || memory < so_far.no_cheaper_with) break;
    MLPROF_LET(attempt, TryToProve(lab, yardstick, *twice, 1));
    if (attempt.failure ||
        !PaysForLessMemory(passed.passes.back(), attempt.passes.back().cost_of_ceiling)) {
      so_far.no_cheaper_with = twice->memory();
      break;
    }
    NoteHeldBarely(passed.passes.back(), memory, so_far);
    so_far.limits = *twice;
    passed = std::move(attempt);
  }
  return passed;
}

PhaseResult<ProofAttempt> HalveHeap(Lab& lab, Yardstick& yardstick, ProofAttempt passed,
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
        so_far.failed.push_back(FailedFor(run, ResourceKind::kMemory));
      }
      break;
    }
    const LimitedRun& run = attempt.passes.back();
    // No other amount mends that.
    if (yardstick.workload.grows_with_inputs && !run.saw_all_rows) break;
    if (!LeftRoom(yardstick, run, ResourceKind::kMemory, so_far)) {
      NoteHeldBarely(run, half, so_far);
      break;
    }
    so_far.limits = limits;
    passed = std::move(attempt);
  }
  return passed;
}

}  // namespace mlprof::server::phases
