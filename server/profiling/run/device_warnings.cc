#include "server/profiling/run/device_warnings.h"

#include <algorithm>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// Less is within what two looks at one model differ by.
constexpr double kSlowerWithSettings = 1.10;

std::string Listed(const std::map<std::string, std::string>& missing) {
  std::string all;
  for (const auto& [figure, why] : missing) {
    all += (all.empty() ? "" : "; ") + figure + ": " + why;
  }
  return all;
}

// Of the model's own containers; "": a GPU, or nothing is known of it.
std::string WhyNoTpuMemory(const RunFacts& facts) {
  std::string why;
  for (const ContainerFacts& container : facts.containers) {
    if (!container.served_model || !container.device) continue;
    if (container.device->kind != DeviceKind::kTpu) continue;
    for (const OneDeviceUse& device : container.device->devices) {
      const auto missing = device.missing.find("memory");
      if (missing != device.missing.end()) why = missing->second;
    }
  }
  return why;
}

Warning NotMeasured(const RunFacts& facts) {
  if (const std::string why = WhyNoTpuMemory(facts); !why.empty()) {
    return {"deviceNotMeasured",
            "what the model needs of its TPU's memory (HBM) was not measured: " + why,
            "see that the model runs on the TPU (`jax.devices()`), with a libtpu that has the "
            "metric service"};
  }
  const bool seen = std::any_of(facts.containers.begin(), facts.containers.end(),
                                [](const ContainerFacts& c) { return c.device.has_value(); });
  const std::string noun = facts.host.tpus.empty() ? "GPU" : "TPU";
  return {"deviceNotMeasured",
          seen ? "what the model needs of its " + noun +
                     "'s memory was not measured: the device tells no use of its memory, or no "
                     "time was left"
               : "its " + noun + "s could not be read while the model ran",
          "see the server's log, and allow a longer budget with --budget-seconds"};
}

}  // namespace

std::vector<Warning> DeviceWarnings(const RunFacts& facts) {
  std::vector<Warning> warnings;
  if (!facts.host.devices_skipped.empty()) {
    const bool tpu = !facts.host.tpus.empty();
    warnings.push_back(
        {"devicesSkipped",
         std::string("not every ") + (tpu ? "TPU chip" : "GPU") +
             " of this machine could be given: " + facts.host.devices_skipped,
         std::string(tpu ? "`tpu-info -p`" : "`nvidia-smi`") + " lists what uses them"});
  }
  if (!facts.host.devices_doubted.empty()) {
    const bool tpu = !facts.host.tpus.empty();
    warnings.push_back(
        {"deviceNotJudged",
         std::string("nobody can tell whether the profile had its ") +
             (tpu ? "TPU chips" : "GPUs") + " to itself: " + facts.host.devices_doubted,
         tpu ? "run the server as root, or see with `sudo tpu-info -p` what uses them"
             : "see in `nvidia-smi` what uses them, as what a former program left; end it "
               "or reset the GPU, and profile again"});
  }
  if (facts.host.devices.empty() || !facts.load) return warnings;
  if (!facts.device) {
    warnings.push_back(NotMeasured(facts));
    return warnings;
  }
  const DeviceFindings& found = facts.device->found;
  if (!found.missing.empty()) {
    warnings.push_back({"deviceFiguresMissing",
                        "the device does not tell every figure: " + Listed(found.missing), ""});
  }
  if (found.memory_from == "device") {
    warnings.push_back({"deviceMemoryOfAll",
                        "the memory of the model's processes on the device is not told apart: all "
                        "that the device held beyond what it did before counts as the model's",
                        "keep others off the device while it is profiled"});
  }
  if (found.needed_by == NeededBy::kAsItIs) {
    warnings.push_back(
        {"deviceMemoryReserved",
         facts.device->refuted
             ? "with less of its device's memory all rows were answered, and yet the answer did "
               "not "
               "hold in fresh containers: it was proven with what the model reserves"
             : "no setting made the model take less of its device's memory: what it needs "
               "may be less than what it reserves",
         "give the framework a hard cap in the model's own code, and profile again"});
  }
  if (facts.device->slower && *facts.device->slower > kSlowerWithSettings) {
    warnings.push_back(
        {"deviceSettingsSlower",
         "with the settings that keep its device's memory small the model is " +
             Sentence("%.1f", *facts.device->slower) +
             " times as slow, both without limits; the answer is judged beside the model with them",
         "leave these environment variables out, where the device has the memory that is "
         "reserved"});
  }
  if (facts.device->cut_short) {
    warnings.push_back({"deviceMemoryCutShort", *facts.device->cut_short,
                        "allow a longer budget with --budget-seconds"});
  }
  return warnings;
}

}  // namespace mlprof::server
