// Wall-clock moments, for people and records; never for measuring (that is Deadline's clock).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace mlprof {

using Timestamp = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

Timestamp Now();
/// RFC 3339 in UTC with milliseconds: "2026-11-20T19:10:00.123Z".
std::string FormatTimestamp(Timestamp when);
/// Accepts what FormatTimestamp writes, with or without the fraction; nullopt otherwise.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

}  // namespace mlprof
