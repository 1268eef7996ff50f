#include "server/devices/tpu/tpu_reader.h"

#include "server/devices/tpu/file_holders.h"
#include "server/devices/tpu/pci_chips.h"

namespace mlprof::server::tpu {
namespace {

using devices::Device;
using devices::DeviceProblem;
using devices::DeviceReading;
using devices::DeviceResult;

tl::unexpected<devices::DeviceError> Failed(DeviceProblem problem, std::string what,
                                            std::string remedy) {
  return tl::unexpected(devices::DeviceError{problem, std::move(what), std::move(remedy)});
}

std::string UuidOf(const Chip& chip) { return "TPU-" + chip.pci; }

Device DeviceOf(const Chip& chip) {
  Device device{UuidOf(chip), chip.pci, std::string("TPU ") + chip.generation->name,
                chip.generation->memory};
  device.files = chip.files;
  device.ordinal = chip.ordinal;
  device.model = chip.generation->name;
  return device;
}

tl::unexpected<devices::DeviceError> NoFiles(std::size_t chips) {
  return Failed(DeviceProblem::kNoDriver,
                std::to_string(chips) + (chips == 1 ? " TPU chip is" : " TPU chips are") +
                    " on the bus, and /dev has no file to open one by",
                "see that the kernel has its driver (`ls /dev/accel* /dev/vfio`): vfio-pci from "
                "v5e on, Google's own before");
}

}  // namespace

DeviceResult<std::vector<Device>> TpuReader::List() {
  const std::vector<Chip> chips = FindChips(root_);
  if (chips.empty()) {
    return Failed(
        DeviceProblem::kNoDevice, "this machine has no TPU chip",
        "profile on a machine with one (`lspci -d 1ae0:` lists them; on Kubernetes a node "
        "of google.com/tpu), or leave --accelerator out");
  }
  std::vector<Device> all;
  const std::lock_guard lock(mutex_);
  for (const Chip& chip : chips) {
    known_.insert(UuidOf(chip));
    if (!chip.files.empty()) all.push_back(DeviceOf(chip));
  }
  if (all.empty()) return NoFiles(chips.size());
  return all;
}

DeviceResult<DeviceReading> TpuReader::Read(const std::string& uuid) {
  for (const Chip& chip : FindChips(root_)) {
    if (UuidOf(chip) != uuid) continue;
    DeviceReading reading;
    reading.memory_total = chip.generation->memory;
    const FileHolders holders = HoldersOf(chip.files, root_ / "proc");
    if (holders.hidden && holders.pids.empty()) {
      reading.missing["processes"] = "other users' processes are seen by root alone";
    } else {
      reading.processes.emplace();
      for (const pid_t pid : holders.pids) reading.processes->push_back({pid});
    }
    return reading;
  }
  const std::lock_guard lock(mutex_);
  if (!known_.contains(uuid)) {
    return Failed(DeviceProblem::kUnknownDevice, "there is no TPU chip " + uuid,
                  "`lspci -d 1ae0:` lists those that there are");
  }
  return Failed(DeviceProblem::kLost, "TPU chip " + uuid + " is not on the bus any more",
                "see in `dmesg` what became of it, and restart the machine");
}

DeviceResult<std::optional<std::vector<devices::DriverSample>>> TpuReader::Samples(
    const std::string&, devices::SampledFigure, std::chrono::microseconds) {
  return std::optional<std::vector<devices::DriverSample>>();
}

DeviceResult<std::optional<Bytes>> TpuReader::PeakOf(const std::string&, pid_t) {
  return std::optional<Bytes>();
}

}  // namespace mlprof::server::tpu
