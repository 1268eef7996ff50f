#include "server/analysis/fatal_growth.h"

#include <algorithm>
#include <vector>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// A fast leak leaves a life of seconds: its windows are as short as that takes, down to ten of the
// agent's samples (100 a second).
constexpr std::int64_t kWindowsOfALife = 40;
constexpr std::chrono::milliseconds kShortestGrowthWindow{100};
constexpr std::chrono::seconds kLongestGrowthWindow{1};
// Of the limit, by the smallest reading of a window shortly before the kill. Windows are a tenth of
// a life at most, so growth that led to the limit comes this far; a level that one heavy row rose
// from hardly does. Chosen, not measured.
constexpr double kNearTheLimit = 0.75;

std::span<const Sample> BeforeKill(std::span<const Sample> samples) {
  const auto killed = std::find_if(samples.begin(), samples.end(),
                                   [](const Sample& sample) { return sample.oom_kills > 0; });
  return samples.first(static_cast<std::size_t>(killed - samples.begin()));
}

std::chrono::nanoseconds WindowLength(std::span<const RequestStretch> served) {
  std::chrono::nanoseconds life{0};
  for (const RequestStretch& stretch : served) life += stretch.ended - stretch.began;
  return std::clamp<std::chrono::nanoseconds>(life / kWindowsOfALife, kShortestGrowthWindow,
                                              kLongestGrowthWindow);
}

std::vector<MemoryWindow> WindowsOfLife(std::span<const Sample> samples,
                                        std::span<const RequestStretch> served) {
  return MakeMemoryWindows(BeforeKill(samples), served, WindowLength(served));
}

bool IsTooShort(std::span<const Sample> samples, std::span<const RequestStretch> served) {
  return JudgePlateau(WindowsOfLife(samples, served)).trend == MemoryTrend::kUnknown;
}

std::optional<FatalGrowth> GrowthWithin(std::span<const Sample> samples,
                                        std::span<const RequestStretch> served, Bytes limit) {
  std::vector<MemoryWindow> windows = WindowsOfLife(samples, served);
  if (windows.empty()) return std::nullopt;
  const std::int64_t requests = windows.back().requests_before + windows.back().requests;
  // The kill itself falls into the last: its samples may tell of what was left of the model.
  windows.pop_back();
  const PlateauVerdict verdict = JudgePlateau(windows);
  if (verdict.trend != MemoryTrend::kGrowing || verdict.bytes_per_request.value_or(0) <= 0) {
    return std::nullopt;
  }
  const auto highest =
      std::max_element(windows.begin(), windows.end(),
                       [](const MemoryWindow& a, const MemoryWindow& b) { return a.low < b.low; });
  if (highest->low < Scale(limit, kNearTheLimit)) return std::nullopt;
  return FatalGrowth{*verdict.bytes_per_request, requests, limit};
}

}  // namespace

std::int64_t FatalGrowth::RequestsAt(Bytes other) const {
  const auto more = static_cast<double>((other - limit).count()) / bytes_per_request;
  return std::max<std::int64_t>(0, requests + static_cast<std::int64_t>(more));
}

std::optional<FatalGrowth> FindFatalGrowth(std::span<const Sample> samples,
                                           std::span<const RequestStretch> served,
                                           std::span<const RequestStretch> watched, Bytes limit) {
  if (IsTooShort(samples, watched)) return GrowthWithin(samples, served, limit);
  auto growth = GrowthWithin(samples, watched, limit);
  if (growth) growth->requests += RequestsOf(served.first(served.size() - watched.size()));
  return growth;
}

std::string GrowthText(const FatalGrowth& growth, std::int64_t rows) {
  std::string text = Sentence(
      "memory grew by %.1f KiB a request until the kernel killed the model for memory: it lived "
      "for %lld requests at the limit of %.0f MiB, and would for about %lld at %.0f MiB",
      growth.bytes_per_request / 1024, static_cast<long long>(growth.requests), growth.limit.mib(),
      static_cast<long long>(growth.RequestsAt(growth.limit + growth.limit)),
      2 * growth.limit.mib());
  if (growth.requests <= rows) {
    text += "; no row had come twice by then, so that it may be a cache of inputs as well";
  }
  return text;
}

const char* GrowthAdvice() {
  return "mend the leak, or restart the server before then (gunicorn: --max-requests): no limit "
         "lasts";
}

ProfileError DiagnoseGrowth(const FatalGrowth& growth, std::int64_t rows, std::string log_tail) {
  return {"OutOfMemory",
          GrowthText(growth, rows),
          {GrowthAdvice(), "more memory (--memory-gb) only puts it off, for as long as is said"},
          std::move(log_tail)};
}

}  // namespace mlprof::server
