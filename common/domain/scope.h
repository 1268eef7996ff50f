// What the holder of a token may do. Plain values.
#pragma once

#include <optional>
#include <string_view>

namespace mlprof {

enum class Scope { kRead, kWrite };  // kWrite includes kRead

/// "read" or "write".
constexpr std::string_view Name(Scope scope) { return scope == Scope::kWrite ? "write" : "read"; }

constexpr std::optional<Scope> ParseScope(std::string_view name) {
  if (name == "read") return Scope::kRead;
  if (name == "write") return Scope::kWrite;
  return std::nullopt;
}

}  // namespace mlprof
