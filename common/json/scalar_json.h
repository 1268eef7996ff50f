// Single values inside JSON, measured figures and times: null where there is none, never 0.
#pragma once

#include <optional>

#include "common/json/json_reader.h"
#include "common/time/timestamp.h"
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

// Times as RFC 3339 text.

inline std::optional<Timestamp> ReadTimestamp(JsonReader& reader, std::string_view key) {
  const auto text = reader.String(key);
  if (!text) return std::nullopt;
  auto when = ParseTimestamp(*text);
  if (!when) reader.Problem(key, "must be an RFC 3339 time in UTC");
  return when;
}

inline Json EncodeTimestamp(const std::optional<Timestamp>& when) {
  return when ? Json(FormatTimestamp(*when)) : Json(nullptr);
}

}  // namespace mlprof
