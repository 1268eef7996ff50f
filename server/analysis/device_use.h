// What a container's model did with its devices, as it was read over the container's life. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/domain/device_findings.h"
#include "common/domain/series.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// How the memory of the model was told from that of others, the surest first.
enum class DeviceMemoryFrom {
  kAccounting,   // the driver kept the peak of its one process
  kRuntime,      // the runtime within the model's process, read again and again
  kProcesses,    // the processes of its container, read again and again
  kWholeDevice,  // all that the device held beyond what it did before: it was the model's alone
};

/// Of one device; points on the run's clock, in order of time.
struct OneDeviceUse {
  std::optional<Bytes> total;  // that it has
  std::optional<Bytes> peak;   // that the model held at most
  DeviceMemoryFrom peak_from = DeviceMemoryFrom::kProcesses;
  std::vector<SeriesPoint> memory;       // bytes
  std::vector<SeriesPoint> busy;         // share of the time in which a kernel ran
  std::vector<SeriesPoint> memory_busy;  // in which its memory was read or written
  std::vector<SeriesPoint> watts;
  std::vector<SeriesPoint> sm_mhz;
  std::vector<SeriesPoint> idle_seconds;  // since it last computed
  std::vector<SeriesPoint> queued;        // programs that wait for it
  std::vector<SeriesPoint> throttled;     // 1 while something lowered its clocks, else 0
  std::set<std::string> throttled_by;
  std::map<std::string, std::string> missing;  // figures that it does not have, and why
};

struct DeviceUse {
  DeviceKind kind = DeviceKind::kGpu;
  std::string source = "nvml";  // who told
  std::vector<OneDeviceUse> devices;

  int count() const { return static_cast<int>(devices.size()); }
  /// On the device where the model held the most; absent where that was read of none.
  std::optional<Bytes> Peak() const;
  DeviceMemoryFrom PeakFrom() const;
  /// Of the smallest.
  std::optional<Bytes> Total() const;
};

/// Of the points within [from, to]; nullopt of none.
std::optional<double> MeanBetween(std::span<const SeriesPoint> points,
                                  std::chrono::nanoseconds from, std::chrono::nanoseconds to);

}  // namespace mlprof::server
