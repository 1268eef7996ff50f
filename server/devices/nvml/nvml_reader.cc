#include "server/devices/nvml/nvml_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include "server/devices/nvml/clock_reasons.h"
#include "server/devices/nvml/figure_reader.h"

namespace mlprof::server::nvml {
namespace {

using devices::Device;
using devices::DeviceProblem;
using devices::DeviceReading;
using devices::DeviceResult;
using devices::DriverSample;
using devices::SampledFigure;

constexpr double kPercent = 0.01;
constexpr double kMilli = 0.001;

std::string TextFrom(Code (*function)(Handle, char*, unsigned), Handle handle) {
  char text[kTextSize] = {};
  if (function == nullptr || function(handle, text, kTextSize) != kSuccess) return "";
  text[kTextSize - 1] = '\0';
  return text;
}

std::optional<Bytes> TotalMemory(const Functions& functions, Handle handle) {
  Memory memory{};
  if (functions.memory == nullptr || functions.memory(handle, &memory) != kSuccess) return {};
  return Bytes(static_cast<std::int64_t>(memory.total));
}

// What was opened is of no use any more, whatever comes back.
bool IsWithoutDriver(Code code) {
  return code == kUninitialized || code == kDriverNotLoaded || code == kVersionMismatch;
}

bool IsSplit(const Functions& functions, Handle card) {
  unsigned now = 0;
  unsigned later = 0;
  return functions.mig_mode != nullptr && functions.mig_mode(card, &now, &later) == kSuccess &&
         now == 1;
}

Device DeviceOf(const Functions& functions, Handle handle) {
  Device device{TextFrom(functions.uuid, handle)};
  device.name = TextFrom(functions.name, handle);
  PciInfo pci{};
  if (functions.pci != nullptr && functions.pci(handle, &pci) == kSuccess) {
    pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
    device.pci = pci.bus_id;
  }
  device.memory = TotalMemory(functions, handle);
  return device;
}

double NumberOf(const Value& value, int type) {
  switch (type) {
    case kDouble: return value.real;
    case kUnsigned: return value.number;
    case kUnsignedLong: return static_cast<double>(value.wide);
    default: return static_cast<double>(value.big);
  }
}

struct SampledAs {
  unsigned type;
  double unit;  // of what it is in
};
SampledAs HowSampled(SampledFigure figure) {
  switch (figure) {
    case SampledFigure::kBusy: return {kGpuSamples, kPercent};
    case SampledFigure::kMemoryBusy: return {kMemorySamples, kPercent};
    case SampledFigure::kPower: break;
  }
  return {kPowerSamples, kMilli};
}

}  // namespace

DeviceResult<std::shared_ptr<Library>> NvmlReader::Opened() {
  const std::lock_guard lock(mutex_);
  if (library_) return library_;
  const auto now = std::chrono::steady_clock::now();
  if (failure_ && now < try_again_) return tl::unexpected(*failure_);
  auto opened = Library::Open(file_);
  if (!opened) {
    failure_ = opened.error();
    try_again_ = now + between_tries_;
    return tl::unexpected(*failure_);
  }
  failure_.reset();
  library_ = std::move(*opened);
  return library_;
}

// The mutex is held. Another thread may still ask the library, which then lives as long.
void NvmlReader::Close(const Library& library, const devices::DeviceError& why) {
  if (library_.get() != &library) return;
  library_.reset();
  failure_ = why;
  try_again_ = std::chrono::steady_clock::now() + between_tries_;
}

// A device that was there and is not any more has fallen off the bus.
tl::unexpected<devices::DeviceError> NvmlReader::Failed(const Library& library, Code code,
                                                        const std::string& uuid) {
  const std::string text = uuid + ": " + library.TextOf(code);
  const std::lock_guard lock(mutex_);
  if (code == kNotFound && known_.contains(uuid)) {
    return devices::Fail(DeviceProblem::kLost, text);
  }
  devices::DeviceError error = ErrorOf(code, text);
  if (IsWithoutDriver(code)) Close(library, error);
  return tl::unexpected(std::move(error));
}

DeviceResult<Handle> NvmlReader::Find(const Library& library, const std::string& uuid) {
  Handle handle = nullptr;
  const Code code = library.functions().by_uuid(uuid.c_str(), &handle);
  if (code != kSuccess) return Failed(library, code, uuid);
  const std::lock_guard lock(mutex_);
  known_.insert(uuid);
  return handle;
}

void NvmlReader::AddCard(const Library& library, Handle handle, std::vector<Device>& all) {
  const Functions& functions = library.functions();
  const Device card = DeviceOf(functions, handle);
  if (!IsSplit(functions, handle)) return all.push_back(card);
  unsigned most = 0;
  if (functions.most_parts == nullptr || functions.part == nullptr ||
      functions.most_parts(handle, &most) != kSuccess) {
    return;
  }
  for (unsigned i = 0; i < most; ++i) {
    Handle part = nullptr;
    if (functions.part(handle, i, &part) != kSuccess) continue;  // most places are empty
    Device device = DeviceOf(functions, part);
    device.pci = card.pci;
    device.card = card.uuid;
    if (!device.uuid.empty()) all.push_back(std::move(device));
  }
}

DeviceResult<std::vector<Device>> NvmlReader::List() {
  MLPROF_LET(library, Opened());
  unsigned count = 0;
  const Code counted = library->functions().count(&count);
  if (counted != kSuccess) return Failed(*library, counted, "the list of GPUs");
  std::vector<Device> all;
  std::optional<devices::DeviceError> lost;
  std::string without_parts;
  for (unsigned i = 0; i < count; ++i) {
    Handle handle = nullptr;
    const Code code = library->functions().by_index(i, &handle);
    if (code == kSuccess) {
      const std::size_t before = all.size();
      AddCard(*library, handle, all);
      if (all.size() == before) without_parts = TextFrom(library->functions().uuid, handle);
    } else {
      lost = Failed(*library, code, "GPU " + std::to_string(i)).value();
    }
  }
  // Others may be used where one cannot.
  if (all.empty() && lost) return tl::unexpected(*lost);
  if (all.empty() && !without_parts.empty()) {
    return devices::Fail(DeviceProblem::kNoPart, without_parts);
  }
  if (all.empty()) return devices::Fail(DeviceProblem::kNoDevice);
  const std::lock_guard lock(mutex_);
  for (const Device& device : all) known_.insert(device.uuid);
  return all;
}

DeviceResult<DeviceReading> NvmlReader::Read(const std::string& uuid) {
  MLPROF_LET(library, Opened());
  MLPROF_LET(handle, Find(*library, uuid));
  FigureReader reader(*library, handle);
  DeviceReading reading = reader.ReadAll();
  if (const auto code = reader.failure()) return Failed(*library, *code, uuid);
  return reading;
}

DeviceResult<std::optional<std::vector<DriverSample>>> NvmlReader::Samples(
    const std::string& uuid, SampledFigure figure, std::chrono::microseconds after) {
  MLPROF_LET(library, Opened());
  MLPROF_LET(handle, Find(*library, uuid));
  const auto function = library->functions().samples;
  if (function == nullptr) return std::nullopt;
  const SampledAs as = HowSampled(figure);
  const auto since = static_cast<unsigned long long>(after.count());
  int type = 0;
  unsigned count = 0;
  Code code = function(handle, as.type, since, &type, &count, nullptr);
  if (code != kSuccess && code != kInsufficientSize) {
    // kNotFound: none is newer.
    if (code == kNotFound) return std::vector<DriverSample>();
    if (IsAbsence(code)) return std::nullopt;
    return Failed(*library, code, uuid);
  }
  std::vector<Sample> samples(count);
  code = function(handle, as.type, since, &type, &count, samples.data());
  if (code == kNotFound) count = 0;
  if (code != kSuccess && code != kNotFound) return Failed(*library, code, uuid);
  std::vector<DriverSample> all;
  for (const Sample& sample :
       std::span(samples).first(std::min<std::size_t>(count, samples.size()))) {
    if (sample.at <= since) continue;
    all.push_back({std::chrono::microseconds(sample.at), NumberOf(sample.value, type) * as.unit});
  }
  return all;
}

DeviceResult<std::optional<Bytes>> NvmlReader::PeakOf(const std::string& uuid, pid_t pid) {
  MLPROF_LET(library, Opened());
  MLPROF_LET(handle, Find(*library, uuid));
  const Functions& functions = library->functions();
  unsigned on = 0;
  if (functions.accounting_mode == nullptr || functions.accounting == nullptr ||
      functions.accounting_mode(handle, &on) != kSuccess || on == 0) {
    return std::nullopt;
  }
  AccountingStats stats{};
  const Code code = functions.accounting(handle, static_cast<unsigned>(pid), &stats);
  if (code == kGpuIsLost) return Failed(*library, code, uuid);
  if (code != kSuccess || stats.most_memory == kNotAvailable || stats.most_memory == 0) {
    return std::nullopt;
  }
  return Bytes(static_cast<std::int64_t>(stats.most_memory));
}

}  // namespace mlprof::server::nvml
