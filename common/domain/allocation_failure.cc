#include "common/domain/allocation_failure.h"

#include <array>

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"TensorFlow", "PyTorch", "XLA", "ONNX Runtime",
                                                    "NumPy",      "Python",  "C++", "CUDA"};

}  // namespace

std::string_view Name(AllocatingRuntime runtime) {
  return kNames.at(static_cast<std::size_t>(runtime));
}

std::optional<AllocatingRuntime> ParseAllocatingRuntime(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<AllocatingRuntime>(i);
  }
  return std::nullopt;
}

}  // namespace mlprof
