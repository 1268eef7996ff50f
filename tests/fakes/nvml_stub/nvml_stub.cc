// An imitation of libnvidia-ml.so.1 for what no other has: split devices, memory of each process,
// accounting, a device that is lost in the middle. It says what its file says (state.h).
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "server/devices/nvml/nvml_api.h"
#include "tests/fakes/nvml_stub/state.h"

namespace {

using namespace mlprof::server::nvml;  // NOLINT(google-build-using-namespace): it is their other
                                       // side
using nvml_stub::Device;
using nvml_stub::ReadState;
using nvml_stub::State;

constexpr Code kInvalidArgument = 2;
constexpr unsigned long long kSamplePeriod = 166'667;  // microseconds
constexpr unsigned kMostSamples = 120;
// A handle is the place of a card's number, from 0, and of a part of it, from 1.
constexpr std::size_t kParts = 100;
std::array<char, 100 * kParts> handle_places;

Handle HandleOf(std::size_t card, std::size_t part = 0) {
  // Nobody looks at what it points to.
  return reinterpret_cast<Handle>(&handle_places[card * kParts + part]);
}

std::size_t NumberOf(Handle handle) {
  return static_cast<std::size_t>(reinterpret_cast<char*>(handle) - handle_places.data());
}

// The device, or what its calls give instead.
Code Find(Handle handle, std::optional<Device>& found, const char* call = "") {
  const State state = ReadState();
  if (state.init != kSuccess) return state.init;
  const std::size_t number = NumberOf(handle);
  const std::size_t card = number / kParts;
  const std::size_t part = number % kParts;
  if (number >= handle_places.size() || card >= state.devices.size()) return kInvalidArgument;
  const Device& device = state.devices[card];
  if (device.Number("lost") != 0 || device.Number("gone") != 0) return kGpuIsLost;
  if (part > device.parts.size()) return kInvalidArgument;
  found = part == 0 ? device : device.parts[part - 1];
  return found->missing.contains(call) ? kNotSupported : kSuccess;
}

template <class Fill>
Code With(Handle handle, const char* call, Fill fill) {
  std::optional<Device> device;
  const Code code = Find(handle, device, call);
  return code == kSuccess ? fill(*device) : code;
}

Code CopyText(const std::string& text, char* to, unsigned size) {
  if (text.size() + 1 > size) return kInsufficientSize;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

Code GiveNumber(Handle handle, const char* key, unsigned* to) {
  return With(handle, key, [&](const Device& device) {
    *to = static_cast<unsigned>(device.Number(key));
    return kSuccess;
  });
}

Code FillProcesses(const Device& device, unsigned* count, ProcessInfo* list) {
  const auto there = static_cast<unsigned>(device.processes.size());
  const unsigned room = *count;
  *count = there;
  if (there == 0) return kSuccess;
  if (list == nullptr || room < there) return kInsufficientSize;
  for (unsigned i = 0; i < there; ++i) {
    list[i] = {device.processes[i].pid, device.processes[i].memory, ~0U, ~0U};
  }
  return kSuccess;
}

// As the driver's own: one in every period, the oldest of them twenty seconds old.
Code FillSamples(unsigned value, unsigned long long since, int* type, unsigned* count,
                 Sample* list) {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  const auto micros = static_cast<unsigned long long>(now.tv_sec) * 1'000'000 +
                      static_cast<unsigned long long>(now.tv_usec);
  const unsigned long long newest = micros / kSamplePeriod;
  const unsigned long long oldest = std::max(since / kSamplePeriod + 1, newest - kMostSamples + 1);
  *type = kUnsigned;
  if (oldest > newest) return kNotFound;
  const auto there = static_cast<unsigned>(newest - oldest + 1);
  if (list == nullptr) {
    *count = there;
    return kSuccess;
  }
  const unsigned given = std::min(*count, there);
  for (unsigned i = 0; i < given; ++i) {
    list[i].at = (oldest + i) * kSamplePeriod;
    list[i].value.number = value;
  }
  *count = given;
  return kSuccess;
}

}  // namespace

extern "C" {

Code nvmlInit_v2() { return ReadState().init; }
Code nvmlInitWithFlags(unsigned) { return ReadState().init; }
Code nvmlShutdown() { return kSuccess; }

const char* nvmlErrorString(Code code) {
  switch (code) {
    case kNotSupported: return "Not Supported";
    case kDriverNotLoaded: return "Driver Not Loaded";
    case kGpuIsLost: return "GPU is lost";
    case kVersionMismatch: return "Driver/library version mismatch";
    default: return "Error";
  }
}

Code nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return CopyText(ReadState().driver, text, size);
}

Code nvmlDeviceGetCount_v2(unsigned* count) {
  const State state = ReadState();
  const auto there = std::count_if(state.devices.begin(), state.devices.end(),
                                   [](const Device& d) { return d.Number("gone") == 0; });
  *count = static_cast<unsigned>(there);
  return state.init;
}

Code nvmlDeviceGetHandleByIndex_v2(unsigned index, Handle* handle) {
  const State state = ReadState();
  if (index >= state.devices.size()) return kInvalidArgument;
  *handle = HandleOf(index);
  std::optional<Device> device;
  return Find(*handle, device);
}

Code nvmlDeviceGetHandleByUUID(const char* uuid, Handle* handle) {
  const State state = ReadState();
  if (state.init != kSuccess) return state.init;
  for (std::size_t card = 0; card < state.devices.size(); ++card) {
    const Device& device = state.devices[card];
    if (device.Number("gone") != 0) continue;
    if (device.Text("uuid") == uuid) {
      *handle = HandleOf(card);
      return device.Number("lost") != 0 ? kGpuIsLost : kSuccess;
    }
    for (std::size_t part = 0; part < device.parts.size(); ++part) {
      if (device.parts[part].Text("uuid") != uuid) continue;
      *handle = HandleOf(card, part + 1);
      return device.Number("lost") != 0 ? kGpuIsLost : kSuccess;
    }
  }
  return kNotFound;
}

Code nvmlDeviceGetUUID(Handle handle, char* text, unsigned size) {
  return With(handle, "uuid",
              [&](const Device& device) { return CopyText(device.Text("uuid"), text, size); });
}

Code nvmlDeviceGetName(Handle handle, char* text, unsigned size) {
  return With(handle, "name",
              [&](const Device& device) { return CopyText(device.Text("name"), text, size); });
}

Code nvmlDeviceGetPciInfo_v3(Handle handle, PciInfo* pci) {
  return With(handle, "pci", [&](const Device& device) {
    *pci = {};
    return CopyText(device.Text("pci"), pci->bus_id, sizeof(pci->bus_id));
  });
}

Code nvmlDeviceGetMemoryInfo(Handle handle, Memory* memory) {
  return With(handle, "memory", [&](const Device& device) {
    memory->total = device.Number("memory_total");
    memory->used = device.Number("memory_used") + device.Number("memory_reserved");
    memory->free = memory->total - memory->used;
    return kSuccess;
  });
}

Code nvmlDeviceGetMemoryInfo_v2(Handle handle, MemoryV2* memory) {
  if (memory->version != kMemoryV2Version) return 25;  // a mismatch of the argument's version
  return With(handle, "memory_v2", [&](const Device& device) {
    memory->total = device.Number("memory_total");
    memory->used = device.Number("memory_used");
    memory->reserved = device.Number("memory_reserved");
    memory->free = memory->total - memory->used - memory->reserved;
    return kSuccess;
  });
}

Code nvmlDeviceGetUtilizationRates(Handle handle, Utilization* shares) {
  return With(handle, "utilization", [&](const Device& device) {
    *shares = {static_cast<unsigned>(device.Number("busy")),
               static_cast<unsigned>(device.Number("memory_busy"))};
    return kSuccess;
  });
}

Code nvmlDeviceGetPowerUsage(Handle handle, unsigned* milliwatts) {
  return GiveNumber(handle, "power", milliwatts);
}

Code nvmlDeviceGetTotalEnergyConsumption(Handle handle, unsigned long long* millijoules) {
  return With(handle, "energy", [&](const Device& device) {
    *millijoules = device.Number("energy");
    return kSuccess;
  });
}

Code nvmlDeviceGetClockInfo(Handle handle, unsigned type, unsigned* mhz) {
  return GiveNumber(handle, type == kMemoryClock ? "memory_clock" : "sm_clock", mhz);
}

Code nvmlDeviceGetTemperature(Handle handle, unsigned, unsigned* celsius) {
  return GiveNumber(handle, "temperature", celsius);
}

Code nvmlDeviceGetCurrentClocksThrottleReasons(Handle handle, unsigned long long* bits) {
  return With(handle, "clock_reasons", [&](const Device& device) {
    *bits = device.Number("clock_reasons");
    return kSuccess;
  });
}

Code nvmlDeviceGetMigMode(Handle handle, unsigned* now, unsigned* later) {
  return With(handle, "mig", [&](const Device& device) {
    *now = *later = device.parts.empty() && device.Number("split") == 0 ? 0 : 1;
    return kSuccess;
  });
}

Code nvmlDeviceGetMaxMigDeviceCount(Handle handle, unsigned* count) {
  return With(handle, "mig", [&](const Device&) {
    *count = 7;
    return kSuccess;
  });
}

Code nvmlDeviceGetMigDeviceHandleByIndex(Handle handle, unsigned index, Handle* part) {
  return With(handle, "mig", [&](const Device& device) {
    if (index >= device.parts.size()) return kNotFound;
    *part = HandleOf(NumberOf(handle) / kParts, index + 1);
    return kSuccess;
  });
}

Code nvmlDeviceGetComputeRunningProcesses_v3(Handle handle, unsigned* count, ProcessInfo* list) {
  return With(handle, "processes",
              [&](const Device& device) { return FillProcesses(device, count, list); });
}

Code nvmlDeviceGetSamples(Handle handle, unsigned type, unsigned long long since, int* value_type,
                          unsigned* count, Sample* list) {
  return With(handle, "samples", [&](const Device& device) {
    const char* key = type == kPowerSamples ? "power"
                      : type == kGpuSamples ? "busy"
                                            : "memory_busy";
    return FillSamples(static_cast<unsigned>(device.Number(key)), since, value_type, count, list);
  });
}

Code nvmlDeviceGetAccountingMode(Handle handle, unsigned* on) {
  return GiveNumber(handle, "accounting", on);
}

Code nvmlDeviceGetAccountingStats(Handle handle, unsigned pid, AccountingStats* stats) {
  return With(handle, "accounting", [&](const Device& device) {
    for (const nvml_stub::Process& process : device.processes) {
      if (process.pid != pid || process.peak == 0) continue;
      *stats = {};
      stats->most_memory = process.peak;
      stats->running = 1;
      return kSuccess;
    }
    return kNotFound;
  });
}

}  // extern "C"
