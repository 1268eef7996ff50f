#include "server/profiling/phases/narrowing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/analysis/limit_search.h"
#include "server/profiling/phases/filled_limit.h"
#include "server/profiling/phases/heap_search.h"
#include "server/profiling/phases/too_little.h"
#include "server/profiling/phases/unexplained_errors.h"

namespace mlprof::server::phases {
namespace {

// Between the most that was too little and the limits: what was raised by a fifth at a time may
// have gone past the need.
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
        NoteHeldBarely(run, *middle, so_far);
        continue;
      }
      so_far.limits = limits;
      passed = std::move(attempt);
      continue;
    }
    const LimitedRun& run = *attempt.failure;
    // Of a heap nothing but memory was taken: collecting without rest is slow, too.
    const bool memory = middle->kind() == ResourceKind::kMemory;
    const bool of_heap = so_far.heap && memory && !run.verdict.unreached;
    const bool lacked = memory ? LackedMemory(run, so_far) : run.verdict.shortage == middle->kind();
    if ((!lacked && !of_heap) || IsDisturbed(run)) break;
    so_far.failed.push_back(FailedFor(run, middle->kind()));
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
  so_far.step_held = false;
  ProofAttempt attempt;
  attempt.tried_again = true;  // what fails once is not asked for
  for (int containers = 1; containers <= kContainers; ++containers) {
    MLPROF_LET(tried, TryToProve(lab, yardstick, *limits, containers, std::move(attempt)));
    attempt = std::move(tried);
    if (attempt.failure) break;
    const LimitedRun& run = attempt.passes.back();
    if (run.lacks) return std::nullopt;
    if (LeftRoom(yardstick, run, ResourceKind::kMemory, so_far)) continue;
    // Of a faster host, or without all the rows that memory grows with, it shows nothing.
    so_far.step_held =
        !run.without_look && (!yardstick.workload.grows_with_inputs || run.saw_all_rows);
    return std::nullopt;
  }
  if (attempt.failure) {
    const LimitedRun& run = *attempt.failure;
    if (LackedMemory(run, so_far) && !IsDisturbed(run) && !IsSlowWithFewPages(run)) {
      FailedTry failed = FailedFor(run, ResourceKind::kMemory);
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
  MLPROF_LET(held, TryToProve(lab, yardstick, so_far.limits, 1, std::move(begun)));
  if (held.failure) return std::move(held);
  MLPROF_LET(passed, DoubleHeap(lab, yardstick, std::move(held), so_far));
  const Bytes most = so_far.limits.memory();
  so_far.cost_with_more = passed.passes.back().cost_of_ceiling;
  if (!so_far.heap_seen) {
    MLPROF_LET(heap, SeeHeap(lab, yardstick, passed.passes.front()));
    so_far.heap = heap;
    so_far.heap_seen = true;
  }
  if (so_far.heap) {
    MLPROF_LET(halved, HalveHeap(lab, yardstick, std::move(passed), so_far));
    passed = std::move(halved);
  }
  MLPROF_LET(narrowed, Narrow(lab, yardstick, std::move(passed), so_far));
  MLPROF_LET(less, ProveStepThatFits(lab, yardstick, narrowed, so_far));
  if (less) return *std::move(less);
  MLPROF_LET(proven, TryToProve(lab, yardstick, so_far.limits, kContainers, std::move(narrowed)));
  // What held with more memory, and was given less because its heap follows the limit, lacks that.
  const bool lowered = so_far.heap && so_far.limits.memory() < most;
  if (lowered && proven.failure && !IsDisturbed(*proven.failure) &&
      !proven.failure->verdict.unreached) {
    proven.failure->verdict.shortage = ResourceKind::kMemory;
    proven.failure->verdict.collecting_cost.reset();
  }
  return std::move(proven);
}

}  // namespace mlprof::server::phases
