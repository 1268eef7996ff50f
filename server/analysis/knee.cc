#include "server/analysis/knee.h"

#include <algorithm>

namespace mlprof::server {
namespace {

// The gain at which Triton's Model Analyzer stops doubling, too. The other two are chosen, not
// measured; none of the three decides a limit.
constexpr double kWorthwhileGain = 1.05;
constexpr double kTooManyErrors = 0.01;
constexpr double kNearBest = 0.95;

bool GainedLittle(const LoadLevel& before, const LoadLevel& after) {
  return after.requests_per_second < kWorthwhileGain * before.requests_per_second;
}

bool Serves(const LoadLevel& level) {
  return level.error_rate <= kTooManyErrors && level.requests_per_second > 0;
}

}  // namespace

bool LoadSaturated(std::span<const LoadLevel> levels) {
  if (levels.empty()) return false;
  if (levels.back().error_rate > kTooManyErrors) return true;
  if (levels.size() < 3) return false;
  const auto last = levels.last(3);
  return GainedLittle(last[0], last[1]) && GainedLittle(last[1], last[2]);
}

std::optional<int> KneeConcurrency(std::span<const LoadLevel> levels) {
  if (!LoadSaturated(levels)) return std::nullopt;
  double best = 0;
  for (const LoadLevel& level : levels) {
    if (Serves(level)) best = std::max(best, level.requests_per_second);
  }
  for (const LoadLevel& level : levels) {
    if (Serves(level) && level.requests_per_second >= kNearBest * best) return level.concurrency;
  }
  return std::nullopt;
}

}  // namespace mlprof::server
