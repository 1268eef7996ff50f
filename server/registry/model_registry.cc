#include "server/registry/model_registry.h"

#include "common/json/json.h"
#include "server/registry/archive_intake.h"
#include "server/registry/content_references.h"
#include "server/registry/model_rows.h"
#include "server/registry/resource_id.h"
#include "server/registry/resource_uses.h"
#include "server/registry/uncommitted_content.h"
#include "server/registry/verified_tree.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/names.h"
#include "server/storage/page.h"
#include "server/storage/source_rows.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

Result<std::optional<Model>> FindMade(Connection& connection, const std::string& workspace,
                                      const IdempotencyKey& key) {
  MLPROF_LET(id, FindKey(connection, workspace, key));
  if (!id) return std::nullopt;
  MLPROF_LET(model, FindModel(connection, workspace, *id));
  return std::move(model);
}

Result<Model> CreateIn(Connection& connection, const NewModel& wanted, const StagedArchive& archive,
                       const IdempotencyKey& key) {
  MLPROF_TRY(EnsureWorkspace(connection, wanted.workspace));
  MLPROF_LET(before, FindMade(connection, wanted.workspace, key));
  if (before) return std::move(*before);
  MLPROF_TRY(CheckSourceExists(connection, wanted.workspace, wanted.inference_config));
  MLPROF_LET(version, NextVersion(connection, "model", wanted.workspace, wanted.name));
  Model model;
  model.id = MakeResourceId(wanted.name, version);
  model.workspace = wanted.workspace;
  model.name = wanted.name;
  model.version = version;
  model.description = wanted.description;
  model.tags = wanted.tags;
  model.properties = wanted.properties;
  model.size = archive.size();
  model.sha256 = archive.sha256();
  model.created = Now();
  model.inference_config = wanted.inference_config;
  MLPROF_TRY(InsertModel(connection, model));
  MLPROF_TRY(SaveKey(connection, wanted.workspace, key, "model", model.id));
  return model;
}

std::string FilterJson(const std::vector<TagFilter>& tags) {
  Json filters = Json::array();
  for (const TagFilter& tag : tags) {
    filters.push_back({{"key", tag.key}, {"value", tag.value ? Json(*tag.value) : Json(nullptr)}});
  }
  return DumpJson(filters);
}

void Apply(const ModelChange& change, Model& model) {
  if (change.description) model.description = *change.description;
  for (const auto& [key, value] : change.add_tags) model.tags[key] = value;
  for (const std::string& key : change.remove_tags) model.tags.erase(key);
  for (const auto& [key, value] : change.add_properties) model.properties[key] = value;
  if (change.inference_config) model.inference_config = change.inference_config;
}

std::string OwnerOf(const Model& model) { return "the model " + model.id; }

Result<std::filesystem::path> Existing(const std::filesystem::path& path, const Model& model) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  return Fail(Internal("the files of " + OwnerOf(model) +
                       " are missing from the data directory; register it again"));
}

}  // namespace

ModelRegistry::ModelRegistry(Database& database, ContentStore& content)
    : database_(database), content_(content) {}

Result<Model> ModelRegistry::Register(const NewModel& model, const SpooledBody& tar,
                                      const IdempotencyKey& key) {
  if (!IsValidName(model.name)) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the model's name cannot be one",
                      {{"/name", "letters, digits, '-', '_' and '.', up to 255"}}));
  }
  MLPROF_LET(before, MadeBefore(model.workspace, key));
  if (before) return std::move(*before);
  MLPROF_LET(archive, StagedArchive::Stage(content_, tar));
  UncommittedContent uncommitted(database_, content_, archive.sha256());
  MLPROF_TRY(archive.Publish(content_, uncommitted.claim()));
  auto made = database_.Write(
      [&](Connection& connection) { return CreateIn(connection, model, archive, key); });
  if (made) uncommitted.Keep();
  return made;
}

Result<std::optional<Model>> ModelRegistry::MadeBefore(const std::string& workspace,
                                                       const IdempotencyKey& key) {
  return database_.Read(
      [&](Connection& connection) { return FindMade(connection, workspace, key); });
}

Result<Model> ModelRegistry::Get(const std::string& workspace, const std::string& id) {
  return database_.Read(
      [&](Connection& connection) { return FindModel(connection, workspace, id); });
}

Result<Page<Model>> ModelRegistry::List(const std::string& workspace, const ModelFilter& filter,
                                        const PageRequest& page) {
  MLPROF_LET(before, SequenceBefore(page));
  return database_.Read([&](Connection& connection) -> Result<Page<Model>> {
    Statement rows(connection, R"sql(
      SELECT document, workspace, name || ':' || version,
             checksum = row_checksum(workspace, name, version, sha256, tags, document), sequence
      FROM models
      WHERE workspace = :workspace AND sequence < :before AND (:name = '' OR name = :name)
        AND NOT EXISTS (
          SELECT 1 FROM json_each(:filters) AS wanted WHERE NOT EXISTS (
            SELECT 1 FROM json_each(models.tags) AS tag
            WHERE tag.key = wanted.value ->> 'key'
              AND (wanted.value ->> 'value' IS NULL OR tag.value = wanted.value ->> 'value')))
      ORDER BY sequence DESC LIMIT :limit)sql");
    rows.Bind(":workspace", workspace)
        .Bind(":before", before)
        .Bind(":name", filter.name)
        .Bind(":filters", FilterJson(filter.tags))
        .Bind(":limit", page.top + 1);
    PageOf<Model> models(page.top);
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row || !models.Takes(rows.Size(0))) return models.Take();
      MLPROF_LET(model, ReadModelRow(rows));
      models.Add(std::move(model), rows.Int(4));
    }
  });
}

Result<Model> ModelRegistry::Change(const std::string& workspace, const std::string& id,
                                    const ModelChange& change) {
  return database_.Write([&](Connection& connection) -> Result<Model> {
    auto model = FindModel(connection, workspace, id);
    if (!model) return model;
    MLPROF_TRY(CheckSourceExists(connection, workspace, change.inference_config));
    Apply(change, *model);
    MLPROF_TRY(UpdateModel(connection, *model));
    return model;
  });
}

Status ModelRegistry::Delete(const std::string& workspace, const std::string& id) {
  const auto deleted = database_.Write([&](Connection& connection) -> Result<Model> {
    auto model = FindModel(connection, workspace, id);
    if (!model) return model;
    MLPROF_TRY(CheckModelUnused(connection, workspace, model->id));
    MLPROF_TRY(ForgetKeys(connection, workspace, "model", model->id));
    MLPROF_TRY(Statement(connection, R"sql(
      DELETE FROM models
      WHERE workspace = :workspace AND name = :name AND version = :version)sql")
                   .Bind(":workspace", workspace)
                   .Bind(":name", model->name)
                   .Bind(":version", model->version)
                   .Run());
    return model;
  });
  if (!deleted) return Fail(deleted.error());
  ForgetContent(database_, content_, {&deleted->sha256, 1});
  return {};
}

Result<std::filesystem::path> ModelRegistry::Archive(const Model& model) {
  if (Status intact = VerifyFile(content_, model.sha256, OwnerOf(model)); !intact) {
    return Fail(AsFault(intact.error()));
  }
  return content_.FilePath(model.sha256);
}

Result<VerifiedContent> ModelRegistry::Verified(const Model& model, const std::stop_token& stop) {
  MLPROF_LET(files, VerifiedTree(content_, model.sha256, OwnerOf(model), stop));
  return VerifiedContent{model.sha256, model.size, content_.FilePath(model.sha256),
                         std::move(files)};
}

Result<std::filesystem::path> ModelRegistry::Files(const Model& model) {
  return Existing(content_.TreePath(model.sha256), model);
}

}  // namespace mlprof::server
