#include "server/analysis/cpu_doubt.h"

#include <algorithm>
#include <cmath>

#include "common/domain/resource_rules.h"
#include "server/analysis/latency.h"

namespace mlprof::server {
namespace {

constexpr double kTailQuantile = 0.99;

bool IsOfCpu(const FailedTry& attempt, Cores answer) {
  return attempt.shortage == ResourceKind::kCpu && !attempt.disturbed &&
         attempt.limits.cpu() < answer;
}

bool IsInDoubt(const FailedTry& attempt) {
  if (attempt.passes > 0) return true;
  if (!attempt.tail) return false;
  const Tail& tail = *attempt.tail;
  const double stopped = tail.stopped_share * static_cast<double>(tail.requests);
  return !MissesWithConfidence(tail.requests, static_cast<std::size_t>(std::lround(stopped)),
                               kTailQuantile);
}

}  // namespace

std::optional<Cores> LeastInDoubt(Cores answer, std::span<const FailedTry> failed, bool step_held) {
  const Cores step = answer - kCpuQuantum;
  std::optional<Cores> shown;  // the most that is too little
  for (const FailedTry& attempt : failed) {
    const Cores cpu = attempt.limits.cpu();
    const bool held_again = step_held && cpu == step;
    if (!IsOfCpu(attempt, answer) || IsInDoubt(attempt) || held_again) continue;
    shown = std::max(shown.value_or(cpu), cpu);
  }
  std::optional<Cores> least;
  for (const FailedTry& attempt : failed) {
    const Cores cpu = attempt.limits.cpu();
    if (!IsOfCpu(attempt, answer) || (shown && cpu <= *shown)) continue;
    least = std::min(least.value_or(cpu), cpu);
  }
  return least && *least < step ? least : std::nullopt;
}

std::optional<ProvenTails> TailsInDoubt(std::span<const std::optional<Tail>> tails) {
  ProvenTails together;
  for (const auto& tail : tails) {
    if (!tail || !tail->counted) return std::nullopt;
    together.stopped += tail->stopped_share * static_cast<double>(tail->requests);
    together.requests += tail->requests;
  }
  if (together.requests == 0) return std::nullopt;
  const auto stopped = static_cast<std::size_t>(std::lround(together.stopped));
  if (HoldsWithConfidence(together.requests, stopped, kTailQuantile)) return std::nullopt;
  return together;
}

}  // namespace mlprof::server
