// The query string that lets a client at one container's blobs of one workspace for a while
// ("SAS"). It is the only credential of blob requests. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/domain/scope.h"
#include "common/http/message.h"

namespace mlprof::server {

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
