// A bearer token as it is listed: everything but its secret. Plain data.
#pragma once

#include <optional>
#include <string>

#include "common/domain/scope.h"
#include "common/time/timestamp.h"

namespace mlprof {

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
