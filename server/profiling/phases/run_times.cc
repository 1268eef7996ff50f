#include "server/profiling/phases/run_times.h"

#include <algorithm>
#include <cmath>

#include "server/profiling/lab/workload.h"
#include "server/profiling/phases/limited_warm_up.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kLaunchTime{1};  // four times what one takes (docs/decisions, 6)
constexpr std::chrono::seconds kLeastLoad{3};
// A model short of memory may take hours where it took seconds: a start or a row that takes so many
// times its usual time, and the least below, is given up. Chosen, not measured.
constexpr double kSlowStart = 3;
constexpr double kSlowRow = 20;
constexpr std::chrono::milliseconds kLeastStart{10'000};
constexpr std::chrono::milliseconds kLeastRow{3'000};

std::chrono::milliseconds InMilliseconds(double ms) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

}  // namespace

std::chrono::nanoseconds LongestReplay(const Pace& pace, std::chrono::nanoseconds time, Cores cpu) {
  const double slowest_ms = pace.slowest_row_ms / std::min(1.0, cpu.value());
  return time + std::max(kLeastRow, InMilliseconds(kSlowRow * slowest_ms));
}

std::chrono::milliseconds LongestStart(const Yardstick& yardstick, Cores cpu) {
  if (const auto& within = yardstick.workload.objective.start_within_seconds) {
    return InMilliseconds(std::ceil(*within * 1000));
  }
  const Pace& pace = yardstick.pace;
  const double seconds = pace.start_seconds + pace.start_cpu_seconds / cpu.value();
  return std::max(kLeastStart, InMilliseconds(kSlowStart * seconds * 1000));
}

std::chrono::nanoseconds TimeBeforeLoad(const Budget& budget, const Yardstick& yardstick,
                                        int runs) {
  const double burst_ms =
      yardstick.pace.slowest_row_ms * static_cast<double>(yardstick.workload.heavy.size());
  const auto burst = std::min<std::chrono::milliseconds>(kLongestBurst, InMilliseconds(burst_ms));
  const auto reach = InMilliseconds(yardstick.pace.reach_seconds * 1000);
  return budget.ChargeOf(InMilliseconds(yardstick.pace.start_seconds * 1000), runs) +
         runs * (kLaunchTime + WarmUpTime(yardstick) + reach + burst +
                 InFlightTime(yardstick.workload, Cores(1.0)));
}

bool LeavesRoomToProve(const Budget& budget, const Yardstick& yardstick) {
  constexpr int kRuns = 4;  // this one and the three that prove
  return budget.Left() > TimeBeforeLoad(budget, yardstick, kRuns) + kRuns * kLeastLoad;
}

}  // namespace mlprof::server::phases
