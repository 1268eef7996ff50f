// Percent-encoding (RFC 3986) and query strings. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlprof {

/// Decodes every %xx exactly once; nullopt for a bad escape, %00, or a result that is not UTF-8
/// (it would end up in JSON).
std::optional<std::string> PercentDecode(std::string_view text);

/// Everything but unreserved characters as %XX: fit for a path segment and for a query value.
std::string PercentEncode(std::string_view text);

/// Each part of a path so; its slashes stay.
std::string PercentEncodePath(std::string_view path);

using QueryFields = std::vector<std::pair<std::string, std::string>>;
/// "a=1&b=x+y" → {{"a","1"},{"b","x y"}}; a field without '=' has the value "", empty fields are
/// skipped. nullopt where PercentDecode gives it.
std::optional<QueryFields> ParseQuery(std::string_view query);

}  // namespace mlprof
