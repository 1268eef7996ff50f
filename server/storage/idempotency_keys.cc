#include "server/storage/idempotency_keys.h"

#include "server/storage/statement.h"

namespace mlprof::server {

Result<std::optional<std::string>> FindKey(Connection& connection, const std::string& workspace,
                                           const IdempotencyKey& key) {
  if (key.key.empty()) return std::nullopt;
  Statement row(connection, R"sql(
    SELECT fingerprint, resource_id FROM idempotency_keys
    WHERE workspace = :workspace AND key = :key)sql");
  const Result<bool> found = row.Bind(":workspace", workspace).Bind(":key", key.key).Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  if (row.Text(0) != key.fingerprint) {
    return Fail(ErrorCode::kKeyReused,
                "this Idempotency-Key was used before, with another request");
  }
  return row.Text(1);
}

Status SaveKey(Connection& connection, const std::string& workspace, const IdempotencyKey& key,
               const char* kind, const std::string& resource_id) {
  if (key.key.empty()) return {};
  return Statement(connection, R"sql(
           INSERT INTO idempotency_keys
             (workspace, key, fingerprint, kind, resource_id, created_unix_ms)
           VALUES (:workspace, :key, :fingerprint, :kind, :resource_id, :now))sql")
      .Bind(":workspace", workspace)
      .Bind(":key", key.key)
      .Bind(":fingerprint", key.fingerprint)
      .Bind(":kind", kind)
      .Bind(":resource_id", resource_id)
      .Bind(":now", Now())
      .Run();
}

Status ForgetKeys(Connection& connection, const std::string& workspace, const char* kind,
                  const std::string& resource_id) {
  return Statement(connection, R"sql(
           DELETE FROM idempotency_keys
           WHERE workspace = :workspace AND kind = :kind AND resource_id = :resource_id)sql")
      .Bind(":workspace", workspace)
      .Bind(":kind", kind)
      .Bind(":resource_id", resource_id)
      .Run();
}

}  // namespace mlprof::server
