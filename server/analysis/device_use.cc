#include "server/analysis/device_use.h"

#include <algorithm>

namespace mlprof::server {

std::optional<Bytes> DeviceUse::Peak() const {
  std::optional<Bytes> most;
  for (const OneDeviceUse& device : devices) most = std::max(most, device.peak);
  return most;
}

DeviceMemoryFrom DeviceUse::PeakFrom() const {
  DeviceMemoryFrom least_sure = DeviceMemoryFrom::kAccounting;
  for (const OneDeviceUse& device : devices) {
    if (device.peak) least_sure = std::max(least_sure, device.peak_from);
  }
  return least_sure;
}

std::optional<Bytes> DeviceUse::Total() const {
  std::optional<Bytes> least;
  for (const OneDeviceUse& device : devices) {
    if (device.total && (!least || *device.total < *least)) least = device.total;
  }
  return least;
}

std::optional<double> MeanBetween(std::span<const SeriesPoint> points,
                                  std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
  double sum = 0;
  int count = 0;
  for (const SeriesPoint& point : points) {
    if (point.at < from || point.at > to) continue;
    sum += point.value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

}  // namespace mlprof::server
