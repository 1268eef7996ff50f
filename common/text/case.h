// Upper and lower case of ASCII, whatever the locale says. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof {

constexpr char Lowercase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
std::string Lowercase(std::string_view text);

/// As HTTP compares names.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace mlprof
