// Times as RFC 3339 text inside JSON.
#pragma once

#include "common/json/json_reader.h"
#include "common/time/timestamp.h"

namespace mlprof {

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
