// The small rules of HTTP's text (RFC 9110 section 5). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/text/ascii.h"

namespace mlprof::agent {

/// One or more token characters: header names, methods.
bool IsToken(std::string_view text);
/// Free of control characters except tab: header values, status lines.
bool IsFieldText(std::string_view text);
/// Digits only, no sign, no more than 18 of them.
std::optional<std::uint64_t> ParseDecimal(std::string_view text);

/// Calls `visit` with each non-empty element of a comma-separated list.
template <class Visit>
void ForEachInList(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view element = Trim(list.substr(0, comma));
    if (!element.empty()) visit(element);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
}

}  // namespace mlprof::agent
