#include "server/registry/model_rows.h"

#include "common/json/domain_json.h"
#include "common/json/json.h"
#include "server/registry/resource_id.h"
#include "server/storage/row_checksum.h"

namespace mlprof::server {
namespace {

// Written by this server, so only a bound against a damaged file.
constexpr JsonLimits kDocumentLimits{
    .max_bytes = 64 << 20, .max_depth = 64, .max_nodes = 4'000'000};

Error NoSuchModel(const std::string& id) { return NotFound("there is no model \"" + id + "\""); }

}  // namespace

Result<Model> ReadModelRow(const Statement& row) {
  if (row.Int(3) == 0) return Fail(DamagedRow("the model " + row.Text(2)));
  const auto json = ParseJson(row.Text(0), kDocumentLimits);
  if (!json) return Fail(Internal("a stored model: " + json.error().message()));
  auto model = DecodeModel(*json);
  if (!model) return Fail(Internal("a stored model: " + model.error().message()));
  model->workspace = row.Text(1);
  return model;
}

Result<Model> FindModel(Connection& connection, const std::string& workspace,
                        const std::string& id) {
  const auto parsed = ParseResourceId(id);
  if (!parsed) return Fail(NoSuchModel(id));
  Statement row(connection, R"sql(
    SELECT document, workspace, name || ':' || version,
           checksum = row_checksum(workspace, name, version, sha256, tags, document)
    FROM models
    WHERE workspace = :workspace AND name = :name AND (:version = 0 OR version = :version)
    ORDER BY version DESC LIMIT 1)sql");
  const Result<bool> found = row.Bind(":workspace", workspace)
                                 .Bind(":name", parsed->name)
                                 .Bind(":version", parsed->version)
                                 .Step();
  if (!found) return Fail(found.error());
  if (!*found) return Fail(NoSuchModel(id));
  return ReadModelRow(row);
}

Status InsertModel(Connection& connection, const Model& model) {
  return Statement(connection, R"sql(
           INSERT INTO models (workspace, name, version, sha256, tags, document, checksum)
           VALUES (:workspace, :name, :version, :sha256, :tags, :document,
                   row_checksum(:workspace, :name, :version, :sha256, :tags, :document)))sql")
      .Bind(":workspace", model.workspace)
      .Bind(":name", model.name)
      .Bind(":version", model.version)
      .Bind(":sha256", model.sha256)
      .Bind(":tags", DumpJson(model.tags))
      .Bind(":document", DumpJson(EncodeModel(model)))
      .Run();
}

Status UpdateModel(Connection& connection, const Model& model) {
  return Statement(connection, R"sql(
           UPDATE models SET tags = :tags, document = :document,
             checksum = row_checksum(:workspace, :name, :version, :sha256, :tags, :document)
           WHERE workspace = :workspace AND name = :name AND version = :version)sql")
      .Bind(":tags", DumpJson(model.tags))
      .Bind(":document", DumpJson(EncodeModel(model)))
      .Bind(":workspace", model.workspace)
      .Bind(":name", model.name)
      .Bind(":version", model.version)
      .Bind(":sha256", model.sha256)
      .Run();
}

}  // namespace mlprof::server
