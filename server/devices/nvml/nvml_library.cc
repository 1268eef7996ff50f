#include "server/devices/nvml/nvml_library.h"

#include <dlfcn.h>

namespace mlprof::server::nvml {
namespace {

using devices::DeviceProblem;

// The first of `names` that the library has.
template <class Function>
void Find(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* found = ::dlsym(library, name)) {
      function = reinterpret_cast<Function>(found);
      return;
    }
  }
}

// Newer forms first, where older drivers have another of the same layout.
Functions FindAll(void* library) {
  Functions all;
  Find(library, all.init, {"nvmlInit_v2", "nvmlInit"});
  Find(library, all.shutdown, {"nvmlShutdown"});
  Find(library, all.error_text, {"nvmlErrorString"});
  Find(library, all.driver_version, {"nvmlSystemGetDriverVersion"});
  Find(library, all.count, {"nvmlDeviceGetCount_v2"});
  Find(library, all.by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  Find(library, all.by_uuid, {"nvmlDeviceGetHandleByUUID"});
  Find(library, all.uuid, {"nvmlDeviceGetUUID"});
  Find(library, all.name, {"nvmlDeviceGetName"});
  Find(library, all.pci, {"nvmlDeviceGetPciInfo_v3"});
  Find(library, all.memory, {"nvmlDeviceGetMemoryInfo"});
  Find(library, all.memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  Find(library, all.utilization, {"nvmlDeviceGetUtilizationRates"});
  Find(library, all.power, {"nvmlDeviceGetPowerUsage"});
  Find(library, all.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  Find(library, all.clock, {"nvmlDeviceGetClockInfo"});
  Find(library, all.temperature, {"nvmlDeviceGetTemperature"});
  Find(library, all.clock_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  Find(library, all.mig_mode, {"nvmlDeviceGetMigMode"});
  Find(library, all.most_parts, {"nvmlDeviceGetMaxMigDeviceCount"});
  Find(library, all.part, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  Find(library, all.processes,
       // Some drivers of 535 have another struct under the name of the third version.
       {"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3"});
  Find(library, all.samples, {"nvmlDeviceGetSamples"});
  Find(library, all.accounting_mode, {"nvmlDeviceGetAccountingMode"});
  Find(library, all.accounting, {"nvmlDeviceGetAccountingStats"});
  return all;
}

DeviceProblem ProblemOf(Code code) {
  switch (code) {
    case kLibraryNotFound: return DeviceProblem::kNoLibrary;
    case kDriverNotLoaded: return DeviceProblem::kNoDriver;
    case kVersionMismatch: return DeviceProblem::kOtherVersion;
    case kNoPermission: return DeviceProblem::kNoPermission;
    case kGpuIsLost:
    case kResetRequired:
    case kGpuNotFound: return DeviceProblem::kLost;
    case kNotFound: return DeviceProblem::kUnknownDevice;
    case kTimeout: return DeviceProblem::kSilent;
    default: return DeviceProblem::kFailed;
  }
}

}  // namespace

devices::DeviceError ErrorOf(Code code, const std::string& text) {
  return devices::MakeError(ProblemOf(code), text);
}

devices::DeviceResult<std::unique_ptr<Library>> Library::Open(const std::string& file) {
  void* opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* why = ::dlerror();
    return devices::Fail(DeviceProblem::kNoLibrary, why != nullptr ? why : file);
  }
  std::unique_ptr<Library> library(new Library());
  library->opened_ = opened;
  library->functions_ = FindAll(opened);
  const Functions& has = library->functions_;
  if (has.init == nullptr || has.count == nullptr || has.by_index == nullptr ||
      has.by_uuid == nullptr || has.uuid == nullptr) {
    return devices::Fail(DeviceProblem::kNoLibrary,
                         file + " is no library of NVIDIA's, or one of before 2013");
  }
  if (const Code code = has.init(); code != kSuccess) {
    return tl::unexpected(ErrorOf(code, library->TextOf(code)));
  }
  library->begun_ = true;
  return library;
}

Library::~Library() {
  if (begun_ && functions_.shutdown != nullptr) functions_.shutdown();
  if (opened_ != nullptr) ::dlclose(opened_);
}

std::string Library::TextOf(Code code) const {
  const char* text = functions_.error_text != nullptr ? functions_.error_text(code) : nullptr;
  return std::string(text != nullptr ? text : "error") + ", NVML code " + std::to_string(code);
}

}  // namespace mlprof::server::nvml
