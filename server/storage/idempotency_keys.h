// Idempotency keys, and their place in the database. All calls are part of the caller's
// transaction.
#pragma once

#include <optional>
#include <string>

#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// An Idempotency-Key and what it was used for. It is stored in the same transaction as the
/// resource it created, so a retry after a crash finds either both or neither.
struct IdempotencyKey {
  std::string key;  // "" is none
  /// Digest of route, query and body: another one under the same key is 422.
  std::string fingerprint;
};

/// The id of the resource the key made before; nullopt for a new key or none. kKeyReused when it
/// came with another fingerprint.
Result<std::optional<std::string>> FindKey(Connection& connection, const std::string& workspace,
                                           const IdempotencyKey& key);
/// `kind`: "model", "dataset", "source", "profile" or "comparison".
Status SaveKey(Connection& connection, const std::string& workspace, const IdempotencyKey& key,
               const char* kind, const std::string& resource_id);
/// With its resource the key goes: used again, it makes a new one.
Status ForgetKeys(Connection& connection, const std::string& workspace, const char* kind,
                  const std::string& resource_id);

}  // namespace mlprof::server
