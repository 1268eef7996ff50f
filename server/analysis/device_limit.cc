#include "server/analysis/device_limit.h"

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

constexpr double kPercent = 100;

bool Meets(const std::optional<double>& share, double mark) { return share && *share >= mark; }

std::string Told(const char* what, const std::optional<double>& share) {
  if (!share) return std::string(what) + " not told";
  return std::string(what) + Sentence(" %.0f%%", *share * kPercent);
}

}  // namespace

std::optional<DeviceLimit> JudgeDeviceLimit(const DeviceLoad& load) {
  if (!load.busy && !load.memory_busy && !load.held) return std::nullopt;
  const bool tpu = load.kind == DeviceKind::kTpu;
  const std::string seen = Told(tpu ? "duty cycle" : "kernels ran", load.busy) + " of the time, " +
                           Told("memory was used", load.memory_busy) + ", " +
                           Told("memory held", load.held) + ", " + Told("CPU limit used", load.cpu);
  if (Meets(load.memory_busy, kDeviceMemoryBusyMark)) {
    return DeviceLimit{
        LimitedBy::kMemoryBandwidth,
        seen + Sentence(": %.0f%% of memory's time is the mark", kDeviceMemoryBusyMark * kPercent)};
  }
  if (Meets(load.busy, kDeviceBusyMark)) {
    const LimitedBy compute = tpu ? LimitedBy::kTensorCore : LimitedBy::kSm;
    return DeviceLimit{
        compute, seen + Sentence(": %.0f%% of the time is the mark", kDeviceBusyMark * kPercent)};
  }
  if (load.busy && Meets(load.cpu, kHostCpuMark)) {
    return DeviceLimit{LimitedBy::kHostCpu,
                       seen + ": the device waits for the host, whose CPU limit is used up"};
  }
  if (Meets(load.held, kDeviceHeldMark)) {
    return DeviceLimit{LimitedBy::kMemory, seen + Sentence(": %.0f%% of its memory is the mark",
                                                           kDeviceHeldMark * kPercent)};
  }
  return DeviceLimit{LimitedBy::kNothing, seen + ": this load fills nothing of it"};
}

}  // namespace mlprof::server
