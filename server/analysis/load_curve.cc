#include "server/analysis/load_curve.h"

#include <algorithm>
#include <cmath>

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

namespace {

// As many short loads as fit into the share of the budget (kSustained); chosen, not measured.
constexpr int kMostTries = 5;
// A short run cannot tell a load from a known one that is nearer than this. Chosen, not measured.
constexpr double kWorthATry = 1.08;

}  // namespace

LoadLadder::LoadLadder(double borne, double most, bool whole)
    : borne_(borne), most_(most), whole_(whole) {}

std::optional<double> LoadLadder::Next() const {
  if (tries_ == kMostTries) return std::nullopt;
  double next = too_much_ ? (borne_ + *too_much_) / 2 : std::min(2 * borne_, most_);
  if (whole_) next = std::floor(next);
  if (next < kWorthATry * borne_) return std::nullopt;
  return next;
}

void LoadLadder::Tell(double tried, bool borne) {
  ++tries_;
  if (borne) {
    borne_ = std::max(borne_, tried);
  } else {
    too_much_ = std::min(too_much_.value_or(tried), tried);
  }
}

}  // namespace mlprof::server
