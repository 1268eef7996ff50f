// Memory of made-up containers, leaking and clean, as windows: what the plateau analysis is tried
// on. Amounts in MiB.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "server/analysis/memory_plateau.h"
#include "server/analysis/seeded_random.h"

namespace mlprof::server::traces {

struct Shape {
  int windows = 20;
  std::int64_t requests = 1000;
};

/// The level at the share `at` (0 to 1) of the run.
using Level = std::function<double(double at)>;

/// Counter noise of half a MiB each way on every reading, and spikes in the peaks.
inline std::vector<MemoryWindow> Windows(const Shape& shape, const Level& level,
                                         SeededRandom& random) {
  std::vector<MemoryWindow> windows;
  const double each = static_cast<double>(shape.requests) / shape.windows;
  for (int i = 0; i < shape.windows; ++i) {
    MemoryWindow window;
    window.requests_before = static_cast<std::int64_t>(i * each);
    window.requests = static_cast<std::int64_t>((i + 1) * each) - window.requests_before;
    const auto at = [&](double within) {
      const double mib = level((i + within) / shape.windows) + random.Between(-0.5, 0.5);
      return Bytes(static_cast<std::int64_t>(mib * 1024 * 1024));
    };
    window.low = at(0.5);
    window.peak = at(1) + MiB(static_cast<std::int64_t>(random.Index(20)) + 1);
    window.time = std::chrono::seconds(2);
    windows.push_back(window);
  }
  return windows;
}

inline Level Flat(double mib) {
  return [mib](double) { return mib; };
}

/// Growth by ever smaller steps within the first 40% of the run.
inline Level WarmUpSteps(SeededRandom& random) {
  struct Step {
    double at, by;
  };
  std::vector<Step> steps;
  double by = random.Between(2, 30);
  double at = 0;
  for (int i = 0; i < 6; ++i, by *= random.Between(0.3, 0.7)) {
    at += random.Between(0.01, 0.4 / 6);
    steps.push_back({at, by});
  }
  return [steps](double now) {
    double mib = 100;
    for (const Step& step : steps) mib += now >= step.at ? step.by : 0;
    return mib;
  };
}

/// An allocator that fills its pools: ever slower.
inline Level Saturating(SeededRandom& random) {
  const double amount = random.Between(2, 40);
  const double constant = random.Between(0.03, 0.18);
  return [=](double now) { return 100 + amount * (1 - std::exp(-now / constant)); };
}

/// `count` lasting steps at any times.
inline Level LateSteps(int count, SeededRandom& random) {
  std::vector<std::pair<double, double>> steps;
  for (int i = 0; i < count; ++i) steps.emplace_back(random.Uniform(), random.Between(0.5, 15));
  return [steps](double now) {
    double mib = 100;
    for (const auto& [at, by] : steps) mib += now >= at ? by : 0;
    return mib;
  };
}

/// A garbage collector's saw, a collection at least twice a run.
inline Level Saw(SeededRandom& random) {
  const double period = random.Between(0.03, 0.25);
  const double height = random.Between(1, 60);
  const double phase = random.Uniform();
  return [=](double now) {
    const double turns = now / period + phase;
    return 100 + height * (turns - std::floor(turns));
  };
}

/// What the largest of the rows seen so far needed; a row of `rows` is drawn for every request.
inline Level LargestSoFar(const Shape& shape, SeededRandom& random) {
  std::vector<double> rows(30 + random.Index(170));
  const double scale = random.Between(0.5, 8);
  for (double& row : rows) row = random.Exponential(scale);
  std::vector<double> largest;
  double most = 0;
  for (std::int64_t i = 0; i < shape.requests; ++i) {
    most = std::max(most, rows[random.Index(rows.size())]);
    largest.push_back(most);
  }
  return [largest](double now) {
    const auto i = static_cast<std::size_t>(now * static_cast<double>(largest.size()));
    return 100 + largest[std::min(i, largest.size() - 1)];
  };
}

/// Slow wandering around one level.
inline Level Wandering(const Shape& shape, SeededRandom& random) {
  const double memory = random.Between(0.3, 0.8);
  std::vector<double> levels;
  double deviation = 0;
  for (int i = 0; i < shape.windows; ++i) {
    deviation = memory * deviation + std::sqrt(1 - memory * memory) * 0.3 * random.Normal();
    levels.push_back(100 + deviation);
  }
  return [levels](double now) {
    const auto i = static_cast<std::size_t>(now * static_cast<double>(levels.size()));
    return levels[std::min(i, levels.size() - 1)];
  };
}

/// `base` and a leak on top of it, in grains as allocators ask the kernel for.
inline Level Leaking(const Level& base, double total_mib, double grain_mib) {
  return [=](double now) {
    const double leaked = total_mib * now;
    return base(now) + (grain_mib > 0 ? std::floor(leaked / grain_mib) * grain_mib : leaked);
  };
}

}  // namespace mlprof::server::traces
