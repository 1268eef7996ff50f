// The two credentials that the server signs with its secret and reads again: JSON Web Tokens, and
// the queries that open blobs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/domain/token.h"
#include "common/http/message.h"

namespace mlprof::server {

/// The tenant every token names; these clients want one.
inline constexpr const char* kTenantId = "6d6c7072-6f66-4000-8000-000000000000";

/// What a JSON Web Token (RFC 7519) says. There is one kind: HS256, signed and read by this server
/// alone.
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

/// What a query string says that lets a client at one container's blobs of one workspace for a
/// while ("SAS"). It is the only credential of blob requests.
struct BlobGrant {
  std::string workspace;
  std::string container;
  Scope scope = Scope::kRead;  // kRead: GET, HEAD and lists
  std::int64_t expires_unix_s = 0;
  std::string token_id = {};  // of the server's token it was given for; "": a local caller's
};

/// A query, without the leading '?'. `secret` is the server's; each workspace's key is derived of
/// it.
std::string SignBlobGrant(const std::string& secret, const BlobGrant& grant);
/// What the query of a request for a blob of `container` allows; nullopt where it is not signed by
/// us, was changed, has expired or lacks something.
std::optional<BlobGrant> ReadBlobGrant(const std::string& secret, const HttpRequest& request,
                                       const std::string& container, std::int64_t now_unix_s);

}  // namespace mlprof::server
