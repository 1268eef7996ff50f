// Bearer tokens and what their holders may do. Plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/time/timestamp.h"

namespace mlprof {

/// What the holder of a token may do.
enum class Scope { kRead, kWrite };  // kWrite includes kRead

/// "read" or "write".
constexpr std::string_view Name(Scope scope) { return scope == Scope::kWrite ? "write" : "read"; }

constexpr std::optional<Scope> ParseScope(std::string_view name) {
  if (name == "read") return Scope::kRead;
  if (name == "write") return Scope::kWrite;
  return std::nullopt;
}

/// A token as it is listed: everything but its secret.
struct Token {
  std::string id;
  std::string name;
  Scope scope = Scope::kRead;
  Timestamp created;
  std::optional<Timestamp> expires;  // the first moment at which it is no longer good
  std::string last_used_day;         // "2026-11-21", UTC; "": never
};

struct CreatedToken {
  Token token;
  std::string secret;  // "mlp_" and 64 hex digits; shown this once
};

}  // namespace mlprof
