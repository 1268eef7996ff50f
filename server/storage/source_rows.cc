#include "server/storage/source_rows.h"

#include <variant>

#include "server/storage/statement.h"

namespace mlprof::server {

Status CheckSourceExists(Connection& connection, const std::string& workspace,
                         const std::optional<InferenceConfig>& config) {
  const auto* script = config ? std::get_if<EntryScriptConfig>(&config->service) : nullptr;
  if (script == nullptr) return {};
  Statement row(connection, R"sql(
    SELECT 1 FROM sources
    WHERE workspace = :workspace AND sha256 = substr(:id, 8) AND :id = 'sha256:' || sha256)sql");
  const Result<bool> found =
      row.Bind(":workspace", workspace).Bind(":id", script->source_id).Step();
  if (!found) return Fail(found.error());
  if (*found) return {};
  return Fail(Error(ErrorCode::kInvalidArgument, "the source does not exist, or was just deleted",
                    {{"/inferenceConfig/sourceId", "no such source"}}));
}

}  // namespace mlprof::server
