#include "server/analysis/model_files/element_type.h"

#include <array>

namespace mlprof::server {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

constexpr std::array<ElementType, 22> kTypes = {
    {{"float64", 64, true},     {"float32", 32, true}, {"float16", 16, true},
     {"bfloat16", 16, true},    {"float8", 8, true},   {"float6", 6, true},
     {"float4", 4, true},       {"int64", 64, false},  {"int32", 32, false},
     {"int16", 16, false},      {"int8", 8, false},    {"int4", 4, false},
     {"int2", 2, false},        {"uint64", 64, false}, {"uint32", 32, false},
     {"uint16", 16, false},     {"uint8", 8, false},   {"uint4", 4, false},
     {"uint2", 2, false},       {"bool", 8, false},    {"complex64", 64, false},
     {"complex128", 128, false}}};

}  // namespace

const ElementType* FindElementType(std::string_view name) {
  for (const ElementType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::optional<std::int64_t> Elements(std::span<const std::int64_t> shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && elements > kMost / extent)) return std::nullopt;
    elements *= extent;
  }
  return elements;
}

std::optional<std::int64_t> BytesOf(std::int64_t elements, int bits) {
  if (elements < 0 || elements > (kMost - 7) / bits) return std::nullopt;
  return (elements * bits + 7) / 8;
}

}  // namespace mlprof::server
