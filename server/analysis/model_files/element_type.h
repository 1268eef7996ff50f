// The types of a tensor's elements, under one name whatever the file calls them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mlprof::server {

struct ElementType {
  std::string_view name;  // "float32"
  int bits;
  bool floating;
};

/// By its name; nullptr where there is none.
const ElementType* FindElementType(std::string_view name);

/// The product of a tensor's extents; nullopt where it is negative or beyond 2^62.
std::optional<std::int64_t> Elements(std::span<const std::int64_t> shape);

/// What `elements` of so many bits take, to whole bytes; nullopt beyond 2^62.
std::optional<std::int64_t> BytesOf(std::int64_t elements, int bits);

}  // namespace mlprof::server
