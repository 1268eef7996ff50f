// What a framework prints when it could not have the memory it asked for: found in a log or in a
// response, and told as values. Pure.
//
// The wordings are those of the frameworks' sources and of logs that their users published; each
// has a golden log in tests/golden/allocation_failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units/bytes.h"

namespace mlprof::server {

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

/// The most telling one of a text: of the framework that says most, the last. nullopt where the
/// text tells of no failed allocation; a limit of something else (RESOURCE_EXHAUSTED of a message's
/// size, of a quota) is none. Takes time linear in the text, which may be hostile.
std::optional<AllocationFailure> FindAllocationFailure(std::string_view text);

/// "TensorFlow could not allocate 4.0 GiB on GPU:0 for a tensor of shape [1024,1024,1024] and type
/// float (operator Fill, allocator GPU_0_bfc): 10.2 of 10.8 GiB were in use". What is not known is
/// not mentioned.
std::string Sentence(const AllocationFailure& failure);

}  // namespace mlprof::server
