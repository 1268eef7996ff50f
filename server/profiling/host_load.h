// How busy the host was with other things while something was measured.
#pragma once

#include <chrono>
#include <string>

#include "common/result/result.h"

namespace mlprof {

/// Counters since boot: /proc/stat over all cores, and this process's own CPU time.
struct HostLoad {
  std::chrono::nanoseconds at{0};
  double busy_seconds = 0;   // user, nice, system, irq, softirq
  double steal_seconds = 0;  // taken by the hypervisor
  double own_seconds = 0;    // the controller
};

Result<HostLoad> ReadHostLoad();

/// Cores that neither the model's container nor the controller used, on average between two
/// readings. `container_seconds`: CPU time of the container in the same stretch.
double ForeignCores(const HostLoad& before, const HostLoad& after, double container_seconds);

/// Share of the host's CPU time that the hypervisor took.
double StealShare(const HostLoad& before, const HostLoad& after, int cores);

/// Parses the first line of /proc/stat ("cpu  user nice system idle iowait irq softirq steal …").
Result<HostLoad> ParseProcStat(std::string_view text, double ticks_per_second);

}  // namespace mlprof
