#include "server/analysis/queue_memory.h"

#include <algorithm>

namespace mlprof::server {
namespace {

// Squared coefficient of variation of the gaps.
std::optional<double> VariationOfGaps(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kPoisson: return 1.0;
    case Arrivals::Kind::kConstant: return 0.0;
    case Arrivals::Kind::kGamma: return arrivals.cv * arrivals.cv;
    case Arrivals::Kind::kTrace: break;
  }
  return std::nullopt;
}

// How many times longer a row takes with so much CPU.
double Stretch(const RowTimes& rows, Cores cpu) {
  const double computing = std::min(rows.mean_seconds, rows.cpu_seconds);
  const double waiting = rows.mean_seconds - computing;
  return (waiting + std::max(computing, rows.cpu_seconds / cpu.value())) / rows.mean_seconds;
}

}  // namespace

RowTimes RowTimes::Of(std::span<const Visit> visits, double cpu_seconds) {
  if (visits.empty()) return {};
  RowTimes times{0, 0, cpu_seconds};
  const auto count = static_cast<double>(visits.size());
  for (const Visit& visit : visits) {
    const double seconds = visit.latency_us / 1e6;
    times.mean_seconds += seconds / count;
    times.mean_square += seconds * seconds / count;
  }
  return times;
}

std::optional<double> QueueMemorySeconds(const Objective& objective, const RowTimes& rows,
                                         Cores cpu) {
  const auto variation = VariationOfGaps(objective.arrivals);
  const bool timed = rows.mean_seconds > 0 && rows.cpu_seconds > 0;
  if (!objective.requests_per_second || !variation || !timed || cpu <= Cores()) return std::nullopt;
  const double rate = *objective.requests_per_second;
  const double stretch = Stretch(rows, cpu);
  const double service = stretch * rows.mean_seconds;
  const double idle = 1 - rate * service;
  if (idle <= 0) return std::nullopt;
  const double squares =
      stretch * stretch * rows.mean_square + (*variation - 1) * service * service;
  return 2 * rate * std::max(0.0, squares) / (idle * idle);
}

}  // namespace mlprof::server
