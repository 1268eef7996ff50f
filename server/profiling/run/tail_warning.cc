#include "server/profiling/run/tail_warning.h"

#include <algorithm>

#include "server/analysis/pod_resources.h"
#include "server/analysis/sentence.h"
#include "server/profiling/run/proven.h"

namespace mlprof::server {
namespace {

using phases::LimitedRun;
using phases::Proof;

// Of the containers that proved the answer, the one whose slowest requests were slowed most.
const Tail* SlowestProven(const Proof& proof) {
  const Tail* slowest = nullptr;
  for (const LimitedRun& run : proof.passes) {
    const auto& tail = run.verdict.tail;
    if (tail && (slowest == nullptr || slowest->p99_ms < tail->p99_ms)) slowest = &*tail;
  }
  return slowest;
}

// The most below the answer that failed for its slowest requests alone.
std::optional<phases::TailRefusal> MostRefused(const RunFacts& facts, Cores answer) {
  std::optional<phases::TailRefusal> most = facts.cpu ? facts.cpu->tail_refused : std::nullopt;
  if (most && !(most->cpu < answer)) most.reset();
  const auto see = [&](const std::vector<FailedTry>& failed) {
    for (const FailedTry& attempt : failed) {
      const Cores cpu = attempt.limits.cpu();
      if (!attempt.tail || !(cpu < answer) || (most && !(most->cpu < cpu))) continue;
      most = phases::TailRefusal{cpu, *attempt.tail};
    }
  };
  if (facts.verification) see(facts.verification->failed);
  if (facts.tightness) see(facts.tightness->failed);
  return most;
}

std::optional<Cores> FreeOf(const RunFacts& facts, Cores answer) {
  return facts.cpu ? ThrottleFree(facts.cpu->curve.points, answer) : std::nullopt;
}

std::string Advice(const std::optional<Cores>& free) {
  const std::string slo = "name what p99 may take with --p99-ms, if it matters";
  if (!free) return slo;
  return Sentence("request %.1f cores, at which the quota stopped next to nothing, or ",
                  free->value()) +
         slo;
}

}  // namespace

std::optional<Warning> TailWarning(const RunFacts& facts) {
  const Proof* proof = ProofOf(facts);
  if (proof == nullptr) return std::nullopt;
  const Cores answer = proof->limits.cpu();
  if (const Tail* tail = SlowestProven(*proof)) {
    return Warning{
        "tailThrottled",
        Sentence("at %.1f cores the quota stops the slowest requests: p99 was %.1f ms, against "
                 "%.1f ms without a CPU limit",
                 answer.value(), tail->p99_ms, tail->reference_p99_ms),
        Advice(FreeOf(facts, answer))};
  }
  const auto refused = MostRefused(facts, answer);
  if (!refused) return std::nullopt;
  return Warning{
      "tailThrottled",
      Sentence("the slowest requests decided: at %.1f cores p95 held, and the quota "
               "stopped others until p99 was %.1f ms, against %.1f ms without a CPU "
               "limit",
               refused->cpu.value(), refused->tail.p99_ms, refused->tail.reference_p99_ms),
      Advice(FreeOf(facts, answer))};
}

}  // namespace mlprof::server
