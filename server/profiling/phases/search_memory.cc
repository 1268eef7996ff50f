#include "server/profiling/phases/search_memory.h"

#include <algorithm>

#include "server/analysis/memory_search.h"
#include "server/profiling/phases/answer.h"
#include "server/profiling/phases/limited_run.h"
#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::seconds kProbeTime{3};
constexpr double kBudgetForSearch = 0.2;

// Whether the model is as fast as in the ample container with this much memory.
PhaseResult<bool> Holds(RunContext& context, Bytes memory) {
  context.recorder.Progressed(0.5, "trying " + std::to_string(memory.count() >> 20) + " MiB");
  const auto run = RunAtLimits(context, {{context.ceiling.cpu, memory},
                                         TrialPurpose::kMemoryProbe,
                                         kProbeTime,
                                         RequestsForConfidence(0.95),
                                         2 * kProbeTime});
  if (!run) return tl::unexpected<RunEnd>(run.error());
  return run->verdict.passed || run->verdict.shortage != Shortage::kMemory;
}

void Keep(RunContext& context, Bytes memory) {
  MeasuredNeed& need = context.observed.need;
  need.hot_file = std::max(Bytes(), memory - need.serving_peak - need.agent_memory);
  if (auto& findings = context.profile().findings.memory) findings->hot_file = need.hot_file;
  context.recorder.Answer(AnswerAt(context, CurrentLimits(context), {}));
}

PhaseResult<void> Search(RunContext& context, Bytes low, Bytes high) {
  const Deadline end =
      Deadline::After(std::min(context.BudgetShare(kBudgetForSearch), context.budget().Left() / 3));
  const auto enough = Holds(context, low);
  if (!enough) return tl::unexpected<RunEnd>(enough.error());
  if (*enough) return {};
  MemoryBisection search(low, high);
  while (const auto memory = search.Next()) {
    if (end.Passed() || !LeavesRoomToProve(context)) break;
    const auto holds = Holds(context, *memory);
    if (!holds) return tl::unexpected<RunEnd>(holds.error());
    search.Tell(*memory, *holds);
  }
  Keep(context, search.passing());
  return {};
}

}  // namespace

PhaseResult<void> SearchMemory(RunContext& context, Bytes mapped_file) {
  const MeasuredNeed& need = context.observed.need;
  const Bytes low = FirstAnswer(need, context.ceiling).memory;
  const Bytes high =
      std::min(RoundUp(MemoryFloor(need) + mapped_file, kMemoryQuantum), context.ceiling.memory);
  // What is mapped fits into the margin, or one step is all there is between them.
  if (high <= low + kMemoryQuantum || !LeavesRoomToProve(context)) return {};
  context.recorder.EnterPhase(kSearchMemory, "searching how much of its files the model needs");
  if (auto ended = Search(context, low, high); !ended) return ended;
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
