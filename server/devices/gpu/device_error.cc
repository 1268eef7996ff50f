#include "server/devices/gpu/device_error.h"

#include <utility>

namespace mlprof::server::devices {
namespace {

std::pair<std::string, std::string> WordsOf(DeviceProblem problem) {
  switch (problem) {
    case DeviceProblem::kNoLibrary:
      return {"this machine has no NVIDIA driver that this server can load",
              "install the driver, so that `nvidia-smi` lists the GPUs, or put the folder of "
              "libnvidia-ml.so.1 on the loader's path"};
    case DeviceProblem::kNoDriver:
      return {"the NVIDIA driver is installed and not loaded",
              "load it (`modprobe nvidia`), or see in `dmesg` why the kernel refuses it"};
    case DeviceProblem::kOtherVersion:
      return {"the NVIDIA driver's library and its kernel module are of different versions",
              "restart the machine, or unload and load the nvidia modules, after the driver's "
              "update"};
    case DeviceProblem::kNoPermission:
      return {"this server may not read the GPUs",
              "let its user read and write /dev/nvidiactl and /dev/nvidia0"};
    case DeviceProblem::kNoDevice:
      return {"the NVIDIA driver works and finds no GPU",
              "see in `lspci` and `dmesg` whether the machine has one, and whether it is given to "
              "another driver"};
    case DeviceProblem::kNoPart:
      return {
          "every GPU of this machine is split (MIG mode) and has no instance to give",
          "make one (`nvidia-smi mig -lgip` lists the sizes, `nvidia-smi mig -cgi SIZE -C` makes "
          "it), or switch the mode off (`nvidia-smi -mig 0`)"};
    case DeviceProblem::kUnknownDevice:
      return {"there is no such GPU", "`nvidia-smi -L` lists those that there are"};
    case DeviceProblem::kLost:
      return {"a GPU is lost: it has fallen off the bus or needs a reset",
              "see in `dmesg` for Xid errors, then reset the GPU or restart the machine"};
    case DeviceProblem::kSilent:
      return {"the NVIDIA driver does not answer",
              "see whether `nvidia-smi` answers, and in `dmesg` for Xid errors"};
    case DeviceProblem::kFailed: break;
  }
  return {"the NVIDIA driver failed", "see whether `nvidia-smi` says the same"};
}

}  // namespace

DeviceError MakeError(DeviceProblem problem, const std::string& detail) {
  auto [what, remedy] = WordsOf(problem);
  if (!detail.empty()) what += " (" + detail + ")";
  return {problem, std::move(what), std::move(remedy)};
}

Error AsError(const DeviceError& error) { return Unavailable(error.what + "; " + error.remedy); }

}  // namespace mlprof::server::devices
