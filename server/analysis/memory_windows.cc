#include "server/analysis/memory_windows.h"

#include <algorithm>

#include "server/analysis/resource_use.h"

namespace mlprof::server {
namespace {

std::optional<MemoryWindow> MakeWindow(std::span<const Sample> samples,
                                       std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
  const auto inside = Between(samples, from, to);
  if (inside.empty()) return std::nullopt;
  MemoryWindow window;
  window.low = inside.front().unreclaimable;
  window.time = to - from;
  for (const Sample& sample : inside) {
    window.low = std::min(window.low, sample.unreclaimable);
    window.peak =
        std::max({window.peak, sample.unreclaimable, sample.peak_unreclaimable.value_or(Bytes())});
  }
  return window;
}

}  // namespace

std::vector<MemoryWindow> MakeMemoryWindows(std::span<const Sample> samples,
                                            std::span<const RequestStretch> stretches,
                                            std::chrono::nanoseconds length) {
  std::vector<MemoryWindow> windows;
  std::int64_t before = 0;
  for (const RequestStretch& stretch : stretches) {
    const std::int64_t parts = std::max<std::int64_t>(1, (stretch.ended - stretch.began) / length);
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto edge = [&](std::int64_t i) {
        return stretch.began + (stretch.ended - stretch.began) / parts * i;
      };
      auto window = MakeWindow(samples, edge(part), edge(part + 1));
      if (!window) continue;
      window->requests_before = before + stretch.requests * part / parts;
      window->requests = stretch.requests * (part + 1) / parts - stretch.requests * part / parts;
      windows.push_back(*window);
    }
    before += stretch.requests;
  }
  return windows;
}

}  // namespace mlprof::server
