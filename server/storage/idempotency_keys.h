// Idempotency keys in the database. Both calls are part of the caller's transaction.
#pragma once

#include <optional>
#include <string>

#include "common/result/result.h"
#include "server/storage/connection.h"
#include "server/storage/idempotency.h"

namespace mlprof::server {

/// The id of the resource the key made before; nullopt for a new key or none. kKeyReused when it
/// came with another fingerprint.
Result<std::optional<std::string>> FindKey(Connection& connection, const std::string& workspace,
                                           const IdempotencyKey& key);
/// `kind`: "model", "dataset", "source" or "profile".
Status SaveKey(Connection& connection, const std::string& workspace, const IdempotencyKey& key,
               const char* kind, const std::string& resource_id);
/// With its resource the key goes: used again, it makes a new one.
Status ForgetKeys(Connection& connection, const std::string& workspace, const char* kind,
                  const std::string& resource_id);

}  // namespace mlprof::server
