// An allocation that failed, as the framework told it that asked for the memory. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units/bytes.h"

namespace mlprof {

/// Whose words they are.
enum class AllocatingRuntime {
  kTensorFlow,
  kPyTorch,
  kXla,  // JAX, and TensorFlow's compiler
  kOnnxRuntime,
  kNumPy,
  kPython,
  kCpp,
  kCuda,
};
/// "TensorFlow", "PyTorch"…: its own spelling.
std::string_view Name(AllocatingRuntime runtime);
std::optional<AllocatingRuntime> ParseAllocatingRuntime(std::string_view name);

/// One of the largest that a compiler's report names.
struct ReportedBuffer {
  Bytes size;
  std::string op = {};     // "" where it is not told, as all that follow
  std::string shape = {};  // as printed, with its layout
  std::string label = {};
  std::string kind = {};
  std::optional<Bytes> unpadded = {};
};

struct AllocationFailure {
  AllocatingRuntime runtime = AllocatingRuntime::kCpp;
  bool on_device = false;      // of a device's memory, not of the host's
  std::string device = {};     // "GPU:0", "CPU:0", "hbm"; "" where it is not told
  std::string allocator = {};  // "GPU_0_bfc"
  std::optional<Bytes> asked = {};
  std::optional<Bytes> in_use = {};
  std::optional<Bytes> limit = {};
  std::optional<Bytes> free = {};
  std::optional<Bytes> reserved = {};  // held by the allocator, and used by nothing
  std::vector<std::int64_t> shape = {};
  std::string type = {};
  std::string op = {};
  /// Of a program for a TPU: its buffers as they are laid out, and without what pads them.
  std::optional<Bytes> padded = {};
  std::optional<Bytes> unpadded = {};
  std::vector<ReportedBuffer> largest = {};
  std::string words = {};  // the line that says so, cut where it is long
};

}  // namespace mlprof
