#include "server/analysis/start_cost.h"

#include <algorithm>
#include <vector>

#include "common/domain/limits.h"
#include "server/analysis/sentence.h"
#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

constexpr double kSlowBeside = 2;         // times the start at the ceiling
constexpr double kStartWorthTelling = 1;  // seconds longer; chosen, not measured

double MedianOfStarts(std::span<const StartTime> starts, double StartTime::*figure) {
  std::vector<double> values;
  for (const StartTime& start : starts) values.push_back(start.*figure);
  return MedianOf(values);
}

StartTime MedianStart(std::span<const StartTime> starts) {
  return {MedianOfStarts(starts, &StartTime::seconds),
          MedianOfStarts(starts, &StartTime::cpu_seconds)};
}

Cores OnGridWithin(double cores, Cores ceiling) {
  if (cores >= ceiling.value()) return ceiling.RoundDownToGrid();
  return std::max(kCpuQuantum, Cores(cores).RoundUpToGrid());
}

}  // namespace

Cores CoresToStart(const StartTime& at_ceiling, double within_seconds, Cores ceiling) {
  const double waits = std::max(0.0, at_ceiling.seconds - at_ceiling.cpu_seconds);
  if (at_ceiling.seconds > within_seconds || waits >= within_seconds) {
    return ceiling.RoundDownToGrid();
  }
  return OnGridWithin(at_ceiling.cpu_seconds / (within_seconds - waits), ceiling);
}

namespace {

Cores StartupCpu(const StartTime& at_ceiling, const Objective& objective, Cores ceiling) {
  if (const auto& within = objective.start_within_seconds) {
    return CoresToStart(at_ceiling, *within, ceiling);
  }
  if (at_ceiling.seconds <= 0) return kCpuQuantum;
  return OnGridWithin(at_ceiling.cpu_seconds / at_ceiling.seconds, ceiling);
}

}  // namespace

StartFigures FiguresOfStarts(std::span<const StartTime> at_limits,
                             std::span<const StartTime> at_ceiling, const Objective& objective,
                             Cores ceiling) {
  StartFigures start;
  start.at_ceiling = MedianStart(at_ceiling);
  if (!at_limits.empty()) start.at_limits = MedianStart(at_limits);
  start.startup_cpu = StartupCpu(start.at_ceiling, objective, ceiling);
  return start;
}

StartFigures ForecastStart(const StartFigures& own, Cores measured, Cores limit,
                           const Objective& objective, Cores ceiling) {
  StartFigures start = own;
  if (limit != measured) start.at_limits.reset();
  start.startup_cpu = StartupCpu(own.at_ceiling, objective, ceiling);
  return start;
}

bool StartsSlowly(const StartFigures& start) {
  if (!start.at_limits) return false;
  const double longer = start.at_limits->seconds;
  const double usual = start.at_ceiling.seconds;
  return longer > kSlowBeside * usual && longer - usual >= kStartWorthTelling;
}

std::string StartText(const StartFigures& start, Cores limit, Cores ceiling) {
  std::string text;
  if (start.at_limits) {
    text = Sentence("%.3g s at %.3g cores, ", start.at_limits->seconds, limit.value());
  }
  return text + Sentence("%.3g s at %.3g", start.at_ceiling.seconds, ceiling.value()) +
         (start.at_limits ? "" : " cores");
}

}  // namespace mlprof::server
