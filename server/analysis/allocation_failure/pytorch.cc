// PyTorch: its caching allocator for CUDA and HIP, whose wording changed in 2.1, and the CPU's.
#include <array>

#include "server/analysis/allocation_failure/recogniser.h"
#include "server/analysis/allocation_failure/text_scan.h"

namespace mlprof::server {
namespace {

// "(GPU 0; 15.90 GiB total capacity; 14.31 GiB already allocated; 77.88 MiB free; 14.96 GiB
// reserved in total by PyTorch)"; before 1.4 "cached" is the last.
void ReadUntil20(TextScan scan, AllocationFailure& failure) {
  TextScan device = scan;
  if (device.Skip("GPU ")) {
    if (const auto number = device.Integer()) failure.device = "GPU:" + std::to_string(*number);
  }
  std::optional<Bytes> reserved;
  for (int part = 0; part < 8 && !scan.AtEnd() && !scan.left().starts_with(")"); ++part) {
    TextScan figure(scan.Until(";)"));
    figure.Skip(" ");
    if (const auto size = figure.Size()) {
      if (figure.Skip(" total")) failure.limit = size;
      if (figure.Skip(" already")) failure.in_use = size;
      if (figure.Skip(" free")) failure.free = size;
      if (figure.Skip(" reserved") || figure.Skip(" cached")) reserved = size;
    }
    scan.Skip(";");
  }
  // What it reserved is with what it allocated from it.
  if (reserved && failure.in_use && *reserved > *failure.in_use) {
    failure.reserved = *reserved - *failure.in_use;
  }
}

// "GPU 0 has a total capacity of 23.64 GiB of which 1.2 GiB is free. Including non-PyTorch memory,
// this process has 22.1 GiB memory in use. Of the allocated memory 21.5 GiB is allocated by
// PyTorch, and 150.2 MiB is reserved by PyTorch but unallocated."; 2.1 and 2.2 write "capacty".
void ReadSince21(TextScan scan, AllocationFailure& failure) {
  if (scan.Skip("GPU ")) {
    if (const auto number = scan.Integer()) failure.device = "GPU:" + std::to_string(*number);
  }
  const auto behind = [&](std::string_view words) -> std::optional<Bytes> {
    TextScan figure = scan;
    return figure.SkipTo(words) ? figure.Size() : std::nullopt;
  };
  failure.limit = behind(" has a total capacity of ");
  if (!failure.limit) failure.limit = behind(" has a total capacty of ");
  failure.free = behind(" of which ");
  // The process's own share of the device: with what CUDA and other libraries hold.
  failure.in_use = behind(" this process has ");
  if (!failure.in_use) failure.in_use = behind("Of the allocated memory ");
  failure.reserved = behind("allocated by PyTorch, and ");
  // "…, with 104.00 MiB allocated in private pools (e.g., CUDA Graphs), and …"
  if (!failure.reserved) failure.reserved = behind("in private pools (e.g., CUDA Graphs), and ");
}

std::optional<AllocationFailure> ParseCachingAllocator(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  scan.Skip(" out of memory. Tried to allocate ");
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kPyTorch;
  failure.on_device = true;
  failure.asked = scan.Size();
  if (!failure.asked) return std::nullopt;
  if (scan.Skip(" (")) {
    ReadUntil20(scan, failure);
  } else if (scan.Skip(". ")) {
    ReadSince21(scan, failure);
  }
  return failure;
}

std::optional<AllocationFailure> ParseCpuAllocator(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kPyTorch;
  failure.device = "the CPU";
  failure.allocator = "DefaultCPUAllocator";
  if (!scan.SkipTo("you tried to allocate ")) return std::nullopt;
  failure.asked = scan.Size();
  return failure.asked ? std::optional(failure) : std::nullopt;
}

constexpr std::array<Recogniser, 2> kOfPyTorch = {
    {{" out of memory. Tried to allocate ", ParseCachingAllocator},
     {"DefaultCPUAllocator: ", ParseCpuAllocator}}};

}  // namespace

std::span<const Recogniser> PyTorchRecognisers() { return kOfPyTorch; }

}  // namespace mlprof::server
