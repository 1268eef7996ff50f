#include "server/registry/source_registry.h"

#include <optional>

#include "common/log/log.h"
#include "server/registry/archive_intake.h"
#include "server/registry/content_references.h"
#include "server/registry/resource_uses.h"
#include "server/registry/uncommitted_content.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

constexpr std::string_view kPrefix = "sha256:";

// "" for what is no id of a source.
std::string DigestOf(const std::string& id) {
  return id.starts_with(kPrefix) ? id.substr(kPrefix.size()) : "";
}

Error NoSuchSource(const std::string& id) { return NotFound("there is no source \"" + id + "\""); }

// Of its files; nullopt where there is no such source.
Result<std::optional<Bytes>> FindSize(Connection& connection, const std::string& workspace,
                                      const std::string& sha256) {
  Statement row(connection, R"sql(
    SELECT size_bytes FROM sources WHERE workspace = :workspace AND sha256 = :sha256)sql");
  const Result<bool> found = row.Bind(":workspace", workspace).Bind(":sha256", sha256).Step();
  if (!found) return Fail(found.error());
  return *found ? std::optional(Bytes(row.Int(0))) : std::nullopt;
}

Result<bool> Find(Connection& connection, const std::string& workspace, const std::string& sha256) {
  MLPROF_LET(size, FindSize(connection, workspace, sha256));
  return size.has_value();
}

}  // namespace

SourceRegistry::SourceRegistry(Database& database, ContentStore& content)
    : database_(database), content_(content) {}

Result<std::string> SourceRegistry::Register(const std::string& workspace, const SpooledBody& tar,
                                             const IdempotencyKey& key) {
  MLPROF_LET(archive, StagedArchive::Stage(content_, tar));
  UncommittedContent uncommitted(database_, content_, archive.sha256());
  MLPROF_TRY(archive.Publish(content_, uncommitted.claim()));
  const std::lock_guard lock(mutex_);
  MLPROF_LET(made, Insert(workspace, archive, key));
  uncommitted.Keep();
  tentative_.erase({workspace, made.id});
  return std::move(made.id);
}

Result<TentativeSource> SourceRegistry::RegisterTentatively(const std::string& workspace,
                                                            const SpooledBody& tar) {
  MLPROF_LET(archive, StagedArchive::Stage(content_, tar));
  UncommittedContent uncommitted(database_, content_, archive.sha256());
  MLPROF_TRY(archive.Publish(content_, uncommitted.claim()));
  const std::lock_guard lock(mutex_);
  MLPROF_LET(made, Insert(workspace, archive, {}));
  uncommitted.Keep();
  const Place place(workspace, made.id);
  // Where several have registered the source tentatively, only the last of them may take it back.
  const bool may_go = made.is_new || tentative_.contains(place);
  const std::uint64_t ticket = may_go ? ++last_ticket_ : 0;
  if (may_go) tentative_[place] = ticket;
  return TentativeSource(*this, workspace, made.id, ticket);
}

Result<SourceRegistry::Registered> SourceRegistry::Insert(const std::string& workspace,
                                                          const StagedArchive& archive,
                                                          const IdempotencyKey& key) {
  return database_.Write([&](Connection& connection) -> Result<Registered> {
    MLPROF_TRY(EnsureWorkspace(connection, workspace));
    MLPROF_LET(before, FindKey(connection, workspace, key));
    if (before) return Registered{std::move(*before), false};
    const std::string id = std::string(kPrefix) + archive.sha256();
    MLPROF_TRY(Statement(connection, R"sql(
      INSERT INTO sources (workspace, sha256, size_bytes, created_unix_ms, checksum)
      VALUES (:workspace, :sha256, :size, :now,
              row_checksum(:workspace, :sha256, :size, :now))
      ON CONFLICT (workspace, sha256) DO NOTHING)sql")
                   .Bind(":workspace", workspace)
                   .Bind(":sha256", archive.sha256())
                   .Bind(":size", archive.size().count())
                   .Bind(":now", Now())
                   .Run());
    const bool is_new = connection.Changes() > 0;
    MLPROF_TRY(SaveKey(connection, workspace, key, "source", id));
    return Registered{id, is_new};
  });
}

void SourceRegistry::TakeBack(const Place& place, std::uint64_t ticket) {
  const Status removed = [&]() -> Status {
    const std::lock_guard lock(mutex_);
    const auto found = tentative_.find(place);
    if (found == tentative_.end() || found->second != ticket) return Fail(Conflict("kept"));
    tentative_.erase(found);
    return RemoveRow(place);
  }();
  if (removed) return ForgetContentOf(place.second);
  // Somebody else's profile uses it by now, so it stays.
  if (removed.error().code() == ErrorCode::kConflict) return;
  LogWarn("a source was left behind", {{"id", place.second}, {"why", removed.error().message()}});
}

void SourceRegistry::Settle(const Place& place) {
  const std::lock_guard lock(mutex_);
  tentative_.erase(place);
}

Result<bool> SourceRegistry::Exists(const std::string& workspace, const std::string& id) {
  return database_.Read(
      [&](Connection& connection) { return Find(connection, workspace, DigestOf(id)); });
}

Status SourceRegistry::Delete(const std::string& workspace, const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    MLPROF_TRY(RemoveRow({workspace, id}));
  }
  ForgetContentOf(id);
  return {};
}

Status SourceRegistry::RemoveRow(const Place& place) {
  const std::string& workspace = place.first;
  const std::string& id = place.second;
  const std::string sha256 = DigestOf(id);
  const Status deleted = database_.Write([&](Connection& connection) -> Status {
    MLPROF_LET(found, Find(connection, workspace, sha256));
    if (!found) return Fail(NoSuchSource(id));
    MLPROF_TRY(CheckSourceUnused(connection, workspace, id));
    MLPROF_TRY(ForgetKeys(connection, workspace, "source", id));
    return Statement(connection, R"sql(
             DELETE FROM sources WHERE workspace = :workspace AND sha256 = :sha256)sql")
        .Bind(":workspace", workspace)
        .Bind(":sha256", sha256)
        .Run();
  });
  if (deleted) tentative_.erase(place);
  return deleted;
}

// Safe although the mutex is not held: who registers the same source meanwhile has a claim on its
// content or a row, and either keeps it.
void SourceRegistry::ForgetContentOf(const std::string& id) {
  const std::string sha256 = DigestOf(id);
  ForgetContent(database_, content_, {&sha256, 1});
}

Result<VerifiedContent> SourceRegistry::Verified(const std::string& workspace,
                                                 const std::string& id,
                                                 const std::stop_token& stop) {
  const std::string sha256 = DigestOf(id);
  const auto size = database_.Read(
      [&](Connection& connection) { return FindSize(connection, workspace, sha256); });
  if (!size) return Fail(size.error());
  if (!*size) return Fail(NoSuchSource(id));
  MLPROF_LET(files, VerifiedTree(content_, sha256, "the source " + id, stop));
  return VerifiedContent{sha256, **size, content_.FilePath(sha256), std::move(files)};
}

TentativeSource::~TentativeSource() {
  if (ticket_ == 0) return;
  try {
    registry_->TakeBack({workspace_, id_}, ticket_);
  } catch (...) {
    LogThrown("a source was left behind", id_);
  }
}

void TentativeSource::Keep() {
  if (ticket_ != 0) registry_->Settle({workspace_, id_});
  ticket_ = 0;
}

}  // namespace mlprof::server
