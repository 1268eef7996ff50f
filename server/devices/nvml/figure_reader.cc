#include "server/devices/nvml/figure_reader.h"

#include <utility>
#include <vector>

#include "server/devices/nvml/clock_reasons.h"

namespace mlprof::server::nvml {
namespace {

constexpr double kShareOfPercent = 0.01;
constexpr double kThousandth = 0.001;
// Processes that may come between the question how many there are and the list of them.
constexpr unsigned kMoreProcesses = 16;
constexpr int kListTries = 3;

Bytes BytesOf(unsigned long long count) { return Bytes(static_cast<std::int64_t>(count)); }

}  // namespace

bool IsAbsence(Code code) {
  switch (code) {
    case kGpuIsLost:
    case kResetRequired:
    case kGpuNotFound:
    case kUninitialized:
    case kDriverNotLoaded:
    case kVersionMismatch:
    case kTimeout: return false;
    default: return code != kSuccess;
  }
}

bool FigureReader::Took(const char* figure, Code code) {
  if (code == kSuccess) return true;
  if (!IsAbsence(code)) {
    if (!failure_) failure_ = code;
    return false;
  }
  reading_.missing[figure] = code == kFunctionNotFound ? "the driver is too old to tell it"
                             : code == kNotSupported   ? "not supported by this device"
                                                       : library_.TextOf(code);
  return false;
}

devices::DeviceReading FigureReader::ReadAll() {
  ReadMemory();
  ReadUtilization();
  ReadPower();
  ReadClocks();
  ReadProcesses();
  return std::move(reading_);
}

// The first form counts what the driver keeps for itself as used; the second tells it apart.
void FigureReader::ReadMemory() {
  const Functions& functions = library_.functions();
  MemoryV2 second{};
  second.version = kMemoryV2Version;
  if (functions.memory_v2 != nullptr && functions.memory_v2(handle_, &second) == kSuccess) {
    reading_.memory_total = BytesOf(second.total);
    reading_.memory_used = BytesOf(second.used);
    reading_.memory_reserved = BytesOf(second.reserved);
    return;
  }
  Memory first{};
  if (!Call("memory", functions.memory, &first)) return;
  reading_.memory_total = BytesOf(first.total);
  reading_.memory_used = BytesOf(first.used);
}

void FigureReader::ReadUtilization() {
  Utilization shares{};
  if (!Call("utilization", library_.functions().utilization, &shares)) return;
  reading_.busy = shares.gpu * kShareOfPercent;
  reading_.memory_busy = shares.memory * kShareOfPercent;
}

void FigureReader::ReadPower() {
  unsigned milliwatts = 0;
  if (Call("power", library_.functions().power, &milliwatts)) {
    reading_.watts = milliwatts * kThousandth;
  }
  unsigned long long millijoules = 0;
  if (Call("energy", library_.functions().energy, &millijoules)) {
    reading_.joules = static_cast<double>(millijoules) * kThousandth;
  }
}

void FigureReader::ReadClocks() {
  const Functions& functions = library_.functions();
  unsigned value = 0;
  if (Call("smClock", functions.clock, kSmClock, &value)) reading_.sm_mhz = static_cast<int>(value);
  if (Call("memoryClock", functions.clock, kMemoryClock, &value)) {
    reading_.memory_mhz = static_cast<int>(value);
  }
  if (Call("temperature", functions.temperature, kGpuSensor, &value)) {
    reading_.celsius = static_cast<int>(value);
  }
  unsigned long long bits = 0;
  if (Call("clockReasons", functions.clock_reasons, &bits)) {
    reading_.throttled_by = ClockReasons(bits);
  }
}

void FigureReader::ReadProcesses() {
  const auto function = library_.functions().processes;
  std::vector<ProcessInfo> list;
  unsigned count = 0;
  Code code = function != nullptr ? function(handle_, &count, nullptr) : kFunctionNotFound;
  for (int tries = 0; code == kInsufficientSize && tries < kListTries; ++tries) {
    list.resize(count + kMoreProcesses);
    count = static_cast<unsigned>(list.size());
    code = function(handle_, &count, list.data());
  }
  if (!Took("processes", code)) return;
  auto& processes = reading_.processes.emplace();
  for (unsigned i = 0; i < count && i < list.size(); ++i) {
    devices::DeviceProcess process{static_cast<pid_t>(list[i].pid)};
    if (list[i].used_memory != kNotAvailable) process.memory = BytesOf(list[i].used_memory);
    processes.push_back(process);
  }
}

}  // namespace mlprof::server::nvml
