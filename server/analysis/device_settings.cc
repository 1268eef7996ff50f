#include "server/analysis/device_settings.h"

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

constexpr const char* kXlaFraction = "XLA_PYTHON_CLIENT_MEM_FRACTION";
constexpr const char* kTorchAllocator = "PYTORCH_CUDA_ALLOC_CONF";

// Its value is a list; what the model says of `key` itself stays.
void AddToList(const DeviceSettings& own, const std::string& key, const std::string& value,
               std::string& list) {
  const auto said = own.find(kTorchAllocator);
  if (said != own.end() && said->second.find(key + ":") != std::string::npos) return;
  list += (list.empty() ? "" : ",") + key + ":" + value;
}

std::string TorchList(const DeviceSettings& own) {
  const auto said = own.find(kTorchAllocator);
  std::string list = said != own.end() ? said->second : "";
  AddToList(own, "expandable_segments", "True", list);
  return list;
}

}  // namespace

DeviceSettings GrowthSettings(const DeviceSettings& own) {
  DeviceSettings settings = {{"TF_FORCE_GPU_ALLOW_GROWTH", "true"},
                             {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"},
                             {kTorchAllocator, TorchList(own)}};
  for (auto& [name, value] : settings) {
    const auto said = own.find(name);
    if (said != own.end() && name != kTorchAllocator) value = said->second;
  }
  return settings;
}

DeviceSettings CapSettings(const DeviceSettings& own, Bytes cap, Bytes total) {
  DeviceSettings settings = GrowthSettings(own);
  const std::string fraction =
      Sentence("%.5f", static_cast<double>(cap.count()) / static_cast<double>(total.count()));
  settings[kXlaFraction] = fraction;
  AddToList(own, "per_process_memory_fraction", fraction, settings[kTorchAllocator]);
  return settings;
}

}  // namespace mlprof::server
