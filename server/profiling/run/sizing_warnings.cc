#include "server/profiling/run/sizing_warnings.h"

#include "server/analysis/cpu_curve.h"
#include "server/analysis/heap.h"
#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

void AddKnee(const RunFacts& facts, std::vector<Warning>& warnings) {
  if (!facts.knee || !facts.cpu) return;
  const CpuKnee& knee = *facts.knee;
  const auto there = MeanMsAt(facts.cpu->curve, knee.cpu);
  warnings.push_back(
      {"scalesOverCores",
       Sentence("the model goes on getting faster with more cores, and from %.1f on twice as many "
                "bring less than half of what they cost: a row takes %.1f ms with %.1f and %.1f ms "
                "with %.1f; the answer is as fast as with %.1f",
                knee.cpu.value(), there.value_or(0), knee.cpu.value(), knee.mean_ms_with_all,
                knee.as_with_all.value(), knee.cpu.value()),
       "see the curve (`mlprof profile show NAME`), and say what latency it must have with "
       "--p95-ms if that is too slow"});
}

void AddHeap(const RunFacts& facts, std::vector<Warning>& warnings) {
  if (!facts.verification || !facts.verification->heap) return;
  const HeapByLimit& heap = *facts.verification->heap;
  if (heap.limit >= heap.higher_limit) return;  // no less was proven
  warnings.push_back(
      {"heapByLimit",
       Sentence("the model sizes its heap by the memory limit: it took %.0f MiB of %.0f, and %.0f "
                "of %.0f; the answer was searched by starts at lower limits",
                heap.used_there.mib(), heap.higher_limit.mib(), heap.used.mib(), heap.limit.mib()),
       "fix its heap (-Xmx, -XX:MaxRAMPercentage, --max-old-space-size, "
       "DOTNET_GCHeapHardLimitPercent, GOMEMLIMIT) so that it does not change with the limit; "
       "with a larger share of it in the heap the same model may do with less"});
}

void AddCurves(const RunFacts& facts, std::vector<Warning>& warnings) {
  if (!facts.curves_left_out) return;
  warnings.push_back({"curvesLeftOut",
                      "limits beside the answer and more rows in flight were not all measured, and "
                      "what-if knows less for it: " +
                          facts.curves_left_out->why,
                      facts.curves_left_out->for_budget
                          ? "profile again with a longer --budget-seconds to know them"
                          : "see the model's own log: mlprof profile logs"});
}

}  // namespace

std::vector<Warning> SizingWarnings(const RunFacts& facts) {
  std::vector<Warning> warnings;
  AddKnee(facts, warnings);
  AddHeap(facts, warnings);
  AddCurves(facts, warnings);
  return warnings;
}

}  // namespace mlprof::server
