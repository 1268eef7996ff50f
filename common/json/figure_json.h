// Measured figures inside JSON: null where there is none, never 0.
#pragma once

#include <optional>

#include "common/json/json_reader.h"
#include "common/units/bytes.h"

namespace mlprof {

template <class Number>
Json Figure(const std::optional<Number>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json Figure(const std::optional<Bytes>& value) {
  return value ? Json(value->count()) : Json(nullptr);
}

inline std::optional<Bytes> ReadBytes(JsonReader& reader, std::string_view key) {
  const auto count = reader.BigInteger(key);
  if (!count) return std::nullopt;
  return Bytes(*count);
}

}  // namespace mlprof
