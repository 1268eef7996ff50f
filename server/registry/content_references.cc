#include "server/registry/content_references.h"

#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/statement.h"

namespace mlprof {
namespace {

Result<bool> IsReferenced(Database& database, const std::string& sha256) {
  return database.Read([&](Connection& connection) {
    Statement row(connection, R"sql(
      SELECT 1 FROM models WHERE sha256 = :sha256
      UNION ALL SELECT 1 FROM sources WHERE sha256 = :sha256
      UNION ALL SELECT 1 FROM datasets WHERE content_sha256 = :sha256
      UNION ALL SELECT 1 FROM azure_blobs WHERE sha256 = :sha256
      UNION ALL SELECT 1 FROM azure_blocks WHERE sha256 = :sha256
      LIMIT 1)sql");
    return row.Bind(":sha256", sha256).Step();
  });
}

}  // namespace

Status RemoveIfUnreferenced(Database& database, ContentStore& content, const std::string& sha256) {
  const Result<bool> referenced = IsReferenced(database, sha256);
  if (!referenced) return Fail(referenced.error());
  return *referenced ? Status() : content.Remove(sha256);
}

Status RemoveUnreferencedContent(Database& database, ContentStore& content) {
  const auto lock = content.Lock();
  const auto digests = content.Digests();
  if (!digests) return Fail(digests.error());
  for (const std::string& sha256 : *digests) {
    MLPROF_TRY(RemoveIfUnreferenced(database, content, sha256));
  }
  return {};
}

}  // namespace mlprof
