// JSON Web Tokens (RFC 7519) of one kind: HS256, signed and read by this server alone. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/domain/scope.h"

namespace mlprof::server {

/// The tenant every token names; these clients want one.
inline constexpr const char* kTenantId = "6d6c7072-6f66-4000-8000-000000000000";

struct TokenClaims {
  Scope scope = Scope::kRead;
  std::string audience;
  std::int64_t expires_unix_s = 0;
  std::string token_id = {};  // of the server's token it was given for; "": a local caller's
};

std::string SignToken(const std::string& key, const TokenClaims& claims);
/// nullopt for what this key did not sign and for what has expired. Takes the same time wherever a
/// signature differs.
std::optional<TokenClaims> ReadToken(const std::string& key, std::string_view token,
                                     std::int64_t now_unix_s);

}  // namespace mlprof::server
