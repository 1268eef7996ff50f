#include "server/analysis/input_growth.h"

#include <algorithm>
#include <vector>

#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

// As many windows as find a faint leak (server/analysis/memory_plateau.h).
constexpr int kWindowsOfPass = 30;
constexpr std::size_t kFewestAgain = 4;
// A tenth of the rows is taken for the warm-up of the process.
constexpr std::size_t kWarmUpPart = 10;
// An allocator that fills its pools rises ever slower: less than so much of the earlier half's
// slope in the later half of the pass, or, where it takes longer than that, more than a half of the
// slope when the rows come again. Both on made-up traces
// (tests/server/analysis/input_growth_test.cc).
constexpr double kEven = 0.75;
constexpr double kStillGrows = 0.25;
// The rise that a leak would show while the rows come again must stand out of the counters' noise
// of a MiB (server/analysis/memory_plateau.cc).
constexpr double kTellable = 2.0 * 1024 * 1024;

RequestStretch FirstOf(const RequestStretch& stretch, std::int64_t requests) {
  RequestStretch first{
      stretch.began, stretch.began + (stretch.ended - stretch.began) / stretch.requests * requests,
      requests};
  if (stretch.answered.empty()) return first;
  first.answered.assign(stretch.answered.begin(), stretch.answered.begin() + requests);
  first.ended = first.answered.back();
  return first;
}

// The rows again, once: later on an allocator is warm that was not before.
std::vector<RequestStretch> OncePass(std::span<const RequestStretch> again, std::int64_t rows) {
  std::vector<RequestStretch> pass;
  std::int64_t requests = 0;
  for (const RequestStretch& stretch : again) {
    if (requests >= rows) break;
    pass.push_back(stretch);
    const std::int64_t room = rows - requests;
    if (stretch.requests > room) {
      pass.back() = FirstOf(stretch, room);
    }
    requests += pass.back().requests;
  }
  return pass;
}

std::chrono::nanoseconds LengthOf(std::span<const RequestStretch> stretches) {
  std::chrono::nanoseconds length{0};
  for (const RequestStretch& stretch : stretches) length += stretch.ended - stretch.began;
  return length;
}

std::vector<MemoryWindow> WindowsOf(std::span<const Sample> samples,
                                    std::span<const RequestStretch> stretches) {
  const auto length = LengthOf(stretches) / kWindowsOfPass;
  if (length <= std::chrono::nanoseconds{0}) return {};
  return MakeMemoryWindows(samples, stretches, length);
}

std::vector<Point> LowsOf(std::span<const MemoryWindow> windows) {
  std::vector<Point> lows;
  for (const MemoryWindow& window : windows) {
    lows.push_back(
        {static_cast<double>(window.requests_before), static_cast<double>(window.low.count())});
  }
  return lows;
}

double SlopeThrough(std::span<const Point> lows) {
  const auto line = TheilSen(lows);
  return line ? line->slope : 0;
}

// As much for the last rows as for the first, but for those that the process itself became warm
// with.
bool RisesEvenly(std::span<const Point> lows) {
  const auto rest = lows.subspan(lows.size() / kWarmUpPart);
  const std::size_t half = rest.size() / 2;
  return SlopeThrough(rest.last(half)) >= kEven * SlopeThrough(rest.first(rest.size() - half));
}

}  // namespace

std::optional<InputGrowth> JudgeInputGrowth(std::span<const Sample> samples,
                                            const RequestStretch& first_pass,
                                            std::span<const RequestStretch> again) {
  const std::vector<MemoryWindow> windows = WindowsOf(samples, std::span(&first_pass, 1));
  const PlateauVerdict pass = JudgePlateau(windows);
  if (pass.trend != MemoryTrend::kGrowing || !RisesEvenly(LowsOf(windows))) return std::nullopt;
  const double each = pass.bytes_per_request.value_or(0);
  const std::vector<RequestStretch> next = OncePass(again, first_pass.requests);
  std::int64_t requests = 0;
  for (const RequestStretch& stretch : next) requests += stretch.requests;
  if (each * static_cast<double>(requests) < kTellable) return std::nullopt;
  const std::vector<Point> lows = LowsOf(WindowsOf(samples, next));
  if (lows.size() < kFewestAgain || SlopeThrough(lows) > kStillGrows * each) return std::nullopt;
  return InputGrowth{first_pass.requests, each};
}

}  // namespace mlprof::server
