// How busy the machine that a container runs on was with other things while something was measured.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::server {

/// Counters since boot: all cores of one machine, and the controller's part in them.
struct HostLoad {
  std::chrono::nanoseconds at{0};
  double busy_seconds = 0;   // user, nice, system, irq, softirq
  double steal_seconds = 0;  // taken by the hypervisor
  double own_seconds = 0;    // the controller; 0 where it runs on another machine
  /// Time that some task stood waiting for a core; absent where the kernel does not tell.
  std::optional<double> waited_seconds;
  std::optional<double> megahertz;  // mean over the cores, now
};

/// Of the machine that this process runs on: /proc/stat, and this process's CPU time.
Result<HostLoad> ReadHostLoad();
/// A container's (Target::ReadHostLoad), or a test's.
using HostLoadReader = std::function<Result<HostLoad>()>;

/// Cores that neither the model's container nor the controller used, on average between two
/// readings. `container_seconds`: CPU time of the container in the same stretch.
double ForeignCores(const HostLoad& before, const HostLoad& after, double container_seconds);

/// Share of the host's CPU time that the hypervisor took.
double StealShare(const HostLoad& before, const HostLoad& after, int cores);

/// Percent of the time that some task waited for a core.
std::optional<double> CpuPressure(const HostLoad& before, const HostLoad& after);

/// How much slower the cores ran after than before, as a share of before; 0 where not known.
double FrequencyDrop(const HostLoad& before, const HostLoad& after);

/// "some … total=MICROSECONDS" of /proc/pressure/cpu.
std::optional<double> ParsePressureTotal(std::string_view text);
/// Mean of the "cpu MHz" lines of /proc/cpuinfo; nullopt where there are none.
std::optional<double> ParseMegahertz(std::string_view text);

/// Parses the first line of /proc/stat ("cpu  user nice system idle iowait irq softirq steal …").
Result<HostLoad> ParseProcStat(std::string_view text, double ticks_per_second);

}  // namespace mlprof::server
