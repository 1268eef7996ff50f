#include "server/profiling/phases/search_memory.h"

#include <algorithm>

#include "server/analysis/limit_search.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kMemoryProbeTime{3};

// Whether the model is as fast as in the ample container with this much memory.
PhaseResult<bool> Holds(Lab& lab, Yardstick& yardstick, Bytes memory) {
  lab.Progressed(0.5, "trying " + std::to_string(memory.count() >> 20) + " MiB");
  MLPROF_LET(run,
             RunAtLimits(lab, yardstick,
                         {lab.ceiling().With(memory),
                          TrialPurpose::kMemoryProbe,
                          {kMemoryProbeTime, RequestsForConfidence(0.95), 2 * kMemoryProbeTime}}));
  yardstick.reference = run.reference;
  // Nothing but memory is less than there.
  const bool lacked = run.verdict.shortage == ResourceKind::kMemory || run.verdict.unexplained;
  return run.verdict.passed || !lacked;
}

}  // namespace

std::optional<MemoryRange> RangeOfMappedFiles(const MeasuredNeed& need, const Limits& ceiling,
                                              Bytes mapped_file) {
  const Bytes low = FirstAnswer(need, ceiling).memory();
  const Bytes high =
      std::min(RoundUp(need.memory.Floor() + mapped_file, kMemoryQuantum), ceiling.memory());
  // What is mapped fits into the margin, or one step is all there is between them.
  if (high <= low + kMemoryQuantum) return std::nullopt;
  return MemoryRange{low, high};
}

PhaseResult<HotFileFacts> SearchMemory(Lab& lab, Yardstick yardstick, const MeasuredNeed& need,
                                       const MemoryRange& range) {
  Budget& budget = lab.budget();
  const Deadline end = budget.AtMost(std::min(budget.For(Spend::kMemorySearch), budget.Left() / 3));
  MemoryBisection search(range.low, range.high);
  while (const auto memory = search.Next()) {
    if (end.Passed() || !LeavesRoomToProve(budget, yardstick)) break;
    MLPROF_LET(holds, Holds(lab, yardstick, *memory));
    search.Tell(*memory, holds);
  }
  const Bytes hot = search.passing() - need.memory.serving_peak - need.memory.agent_memory;
  return HotFileFacts{std::max(Bytes(), hot), yardstick.reference};
}

}  // namespace mlprof::server::phases
