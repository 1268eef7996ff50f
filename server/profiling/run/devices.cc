#include "server/profiling/run/devices.h"

#include <algorithm>

namespace mlprof::server {
namespace {

// A driver lists a process for a moment after it has ended: the last container's may still be
// there.
constexpr int kLooks = 4;
constexpr std::chrono::milliseconds kBetweenLooks{500};

}  // namespace

PhaseResult<devices::DeviceLease> TakeDevices(const RunServices& services, const Accelerator& asked,
                                              RunStop& run_stop) {
  if (asked.type == AcceleratorType::kNone || asked.count == 0) return devices::DeviceLease();
  const bool tpu = asked.type == AcceleratorType::kTpu;
  devices::DevicePool* pool = tpu ? services.tpus : services.devices;
  if (pool == nullptr) {
    const std::string none = tpu ? "this server gives no TPUs" : "this server gives no GPUs";
    return FailRun({"DeviceUnavailable", none, {}, ""});
  }
  auto lease = pool->Take(asked.count);
  for (int look = 1; !lease && look < kLooks && !run_stop.token().stop_requested(); ++look) {
    services.clock.SleepUntil(services.clock.Now() + kBetweenLooks);
    lease = pool->Take(asked.count);
  }
  if (lease) return std::move(*lease);
  const devices::Refusal& refusal = lease.error();
  if (refusal.wait) {
    run_stop.Ask(StopReason::kRoom, refusal.why);
    return Canceled();
  }
  return FailRun({"DeviceUnavailable", refusal.why, {refusal.remedy}, ""});
}

void SetDevices(const devices::DeviceLease& lease, HostChoice& choice) {
  const bool tpus = std::ranges::any_of(
      lease.devices(), [](const devices::Device& device) { return !device.files.empty(); });
  if (tpus) choice.tpus = tpu::LaunchOf(lease.devices());
  std::optional<Bytes> least;
  for (const devices::Device& device : lease.devices()) {
    choice.devices.push_back(device.uuid);
    if (!device.memory) continue;
    if (!least || *device.memory < *least) least = device.memory;
  }
  choice.devices_skipped = lease.skipped();
  choice.devices_doubted = lease.doubts();
  if (least) choice.ceiling.Set(DeviceMemory{*least, static_cast<int>(choice.devices.size())});
}

}  // namespace mlprof::server
