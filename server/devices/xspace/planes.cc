#include "server/devices/xspace/planes.h"

#include <charconv>

namespace mlprof::server::xspace {
namespace {

std::optional<int> NumberBehind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<const Plane*> Matching(const Trace& trace,
                                   std::optional<int> (*number)(const Plane& plane)) {
  std::vector<const Plane*> out;
  for (const Plane& plane : trace.planes) {
    if (number(plane)) out.push_back(&plane);
  }
  return out;
}

}  // namespace

std::optional<int> TensorCoreOf(const Plane& plane) {
  return NumberBehind(plane.name, "/device:TPU:");
}

std::optional<int> GpuOf(const Plane& plane) { return NumberBehind(plane.name, "/device:GPU:"); }

std::vector<const Plane*> TensorCores(const Trace& trace) { return Matching(trace, TensorCoreOf); }
std::vector<const Plane*> Gpus(const Trace& trace) { return Matching(trace, GpuOf); }

Hardware HardwareOf(const Trace& trace) {
  if (!TensorCores(trace).empty()) return Hardware::kTpu;
  return Gpus(trace).empty() ? Hardware::kCpu : Hardware::kGpu;
}

std::string_view Name(Hardware hardware) {
  switch (hardware) {
    case Hardware::kTpu: return "TPU";
    case Hardware::kGpu: return "GPU";
    case Hardware::kCpu: return "CPU";
  }
  return "";
}

const Line* FindLine(const Plane& plane, std::string_view name) {
  for (const Line& line : plane.lines) {
    if (line.name == name) return &line;
  }
  return nullptr;
}

}  // namespace mlprof::server::xspace
