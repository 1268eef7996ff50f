#include "common/domain/model_weights.h"

#include <array>

namespace mlprof {
namespace {

constexpr std::array<std::string_view, 7> kFormats = {"safetensors", "GGUF",  "ONNX",  "TensorFlow",
                                                      "PyTorch",     "NumPy", "pickle"};

}  // namespace

std::string_view Name(WeightsFormat format) {
  return kFormats.at(static_cast<std::size_t>(format));
}

std::optional<WeightsFormat> ParseWeightsFormat(std::string_view name) {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats.at(i) == name) return static_cast<WeightsFormat>(i);
  }
  return std::nullopt;
}

std::int64_t Parameters(const std::vector<TypedParameters>& by_type) {
  std::int64_t parameters = 0;
  for (const TypedParameters& typed : by_type) parameters += typed.parameters;
  return parameters;
}

Bytes TotalBytes(const std::vector<TypedParameters>& by_type) {
  Bytes bytes;
  for (const TypedParameters& typed : by_type) bytes += typed.bytes;
  return bytes;
}

}  // namespace mlprof
