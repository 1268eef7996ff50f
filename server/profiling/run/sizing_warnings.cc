#include "server/profiling/run/sizing_warnings.h"

#include <algorithm>

#include "server/analysis/cpu_curve.h"
#include "server/analysis/heap.h"
#include "server/analysis/memory_for_cpu.h"
#include "server/analysis/sentence.h"
#include "server/profiling/run/proven.h"

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

// Whether the answer is to be as fast as the model came, with the most cores that were tried.
bool IsAsFastAsWithTheMost(const RunFacts& facts) {
  const bool with_settings = facts.pools && facts.pools->cpu;
  return ProofOf(facts) != nullptr && facts.objective.latency_ms.empty() &&
         !facts.objective.requests_per_second && !facts.knee && !with_settings;
}

// Of a model that was not warm, and beside other work, one of the two would look slower for that.
void AddFewerCores(const RunFacts& facts, std::vector<Warning>& warnings) {
  const bool comparable = facts.cpu && facts.warm_up && facts.warm_up->steady && !facts.noise.noisy;
  if (!comparable || !IsAsFastAsWithTheMost(facts)) return;
  const auto& points = facts.cpu->curve.points;
  const auto fewer = FasterWithFewerCores(points);
  if (!fewer) return;
  warnings.push_back(
      {"fasterWithFewerCores",
       Sentence("a row takes %.4g ms with %.1f cores and %.4g ms with %.1f: what has more of them "
                "is slower, and the answer is as fast as with the most",
                fewer->mean_ms, fewer->cpu.value(), points.back().mean_ms,
                points.back().cpu.value()),
       Sentence("its threads may fight for what they share: see thread pools, or profile with "
                "--cpu %.1f for an answer as fast as with that",
                fewer->cpu.value())});
}

std::string MemoryInUse(const phases::Proof& proof) {
  const auto used = PeakOf(proof);
  return used ? Sentence(", of which %.0f were in use,", used->mib()) : "";
}

// Where the memory that the model uses says nothing.
void AddHeapByItsCost(const RunFacts& facts, std::vector<Warning>& warnings) {
  const phases::Proof* proof = ProofOf(facts);
  if (proof == nullptr) return;
  double dearest = 0;
  for (const phases::LimitedRun& run : proof->passes) {
    dearest = std::max(dearest, run.cost_of_ceiling.value_or(0));
  }
  if (dearest <= 0) return;
  const auto less =
      DearerWithLess(FailedBefore(facts), facts.verification->paid, proof->limits, dearest);
  if (!less) return;
  warnings.push_back(
      {"heapByLimit",
       Sentence(
           "the model's runtime looks as if it sized its heap by the memory limit: with %.0f MiB a "
           "request took %.1f times the CPU that it takes with all memory, and with the %.0f "
           "MiB of the answer%s %.1f times",
           less->limits.memory().mib(), less->cost, proof->limits.memory().mib(),
           MemoryInUse(*proof).c_str(), dearest),
       "the memory that is not in use buys nothing but CPU: fix its heap (Node: "
       "--max-old-space-size, a JVM: -Xmx) so that it does not change with the limit, and profile "
       "again: it may do with much less"});
}

void AddHeap(const RunFacts& facts, std::vector<Warning>& warnings) {
  if (!facts.verification) return;
  const auto& seen = facts.verification->heap;
  if (!seen || seen->limit >= seen->higher_limit) {  // no less was proven
    return AddHeapByItsCost(facts, warnings);
  }
  const HeapByLimit& heap = *seen;
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
  AddFewerCores(facts, warnings);
  AddHeap(facts, warnings);
  AddCurves(facts, warnings);
  return warnings;
}

}  // namespace mlprof::server
