#include "server/analysis/delayed_ack.h"

#include <algorithm>
#include <map>
#include <vector>

namespace mlprof::server {
namespace {

// The kernel's least delay (TCP_DELACK_MIN), and what timers and a row itself add to it.
constexpr double kLeastMs = 39.5;
constexpr double kMostMs = 48;
// As far on either side of these as they are wide, a queue's latencies are about as many.
constexpr double kAroundMs = 9;
constexpr double kTimesAround = 3;
constexpr double kQuickerByMs = 30;
constexpr double kLeastQuick = 0.1;
constexpr double kLeastShare = 0.05;
constexpr double kMostRows = 0.5;

double Ms(const Visit& visit) { return visit.latency_us / 1000.0; }
bool Waited(const Visit& visit) { return Ms(visit) >= kLeastMs && Ms(visit) <= kMostMs; }

bool IsAround(const Visit& visit) {
  return !Waited(visit) && Ms(visit) >= kLeastMs - kAroundMs && Ms(visit) <= kMostMs + kAroundMs;
}

std::ptrdiff_t CountQuick(std::span<const Visit> visits) {
  return std::count_if(visits.begin(), visits.end(),
                       [](const Visit& visit) { return Ms(visit) <= kLeastMs - kQuickerByMs; });
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<DelayedAck> FindDelayedAck(std::span<const Visit> kept,
                                         std::span<const Visit> others) {
  const auto around = std::count_if(kept.begin(), kept.end(), IsAround);
  const auto quick_ones = CountQuick(kept) + CountQuick(others);
  std::map<std::uint32_t, double> quickest;
  for (const auto& visits : {kept, others}) {
    for (const Visit& visit : visits) {
      const auto [at, first] = quickest.try_emplace(visit.row, Ms(visit));
      if (!first) at->second = std::min(at->second, Ms(visit));
    }
  }
  std::vector<double> waited;
  std::vector<double> quick;
  for (const Visit& visit : kept) {
    if (!Waited(visit)) continue;
    waited.push_back(Ms(visit));
    const double least = quickest.at(visit.row);
    if (least + kQuickerByMs <= Ms(visit)) quick.push_back(least);
  }
  const double share = static_cast<double>(waited.size()) / static_cast<double>(kept.size());
  if (waited.empty() || share < kLeastShare) return std::nullopt;
  if (static_cast<double>(waited.size()) < kTimesAround * static_cast<double>(around)) {
    return std::nullopt;
  }
  const auto all = static_cast<double>(kept.size() + others.size());
  if (static_cast<double>(quick_ones) < kLeastQuick * all) return std::nullopt;
  if (static_cast<double>(quick.size()) < kMostRows * static_cast<double>(waited.size())) {
    return std::nullopt;
  }
  return DelayedAck{share, Median(std::move(waited)), Median(std::move(quick))};
}

}  // namespace mlprof::server
