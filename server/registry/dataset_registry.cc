#include "server/registry/dataset_registry.h"

#include <optional>
#include <utility>

#include "server/registry/content_references.h"
#include "server/registry/content_type.h"
#include "server/registry/dataset_rows.h"
#include "server/registry/packed_row_source.h"
#include "server/registry/packed_rows.h"
#include "server/registry/resource_id.h"
#include "server/registry/resource_uses.h"
#include "server/registry/row_survey.h"
#include "server/registry/row_upload.h"
#include "server/registry/uncommitted_content.h"
#include "server/registry/verified_tree.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/durable_file.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/names.h"
#include "server/storage/page.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

// Smaller datasets are held in memory by a run; larger ones are read from the disk as they are
// replayed, which costs a microsecond of CPU a row (docs/ARCHITECTURE.md, Rows). Chosen: what a
// server spares without thought.
constexpr Bytes kMostHeldRows = MiB(16);

Bytes HeldSize(const Dataset& dataset) {
  const auto each = static_cast<std::int64_t>(sizeof(std::string));
  return dataset.size + Bytes(dataset.row_count * each);
}

Status CheckNewName(const std::string& name) {
  if (IsValidName(name)) return {};
  return Fail(Error(ErrorCode::kInvalidArgument, "the dataset's name cannot be one",
                    {{"/name", "letters, digits, '-', '_' and '.', up to 255"}}));
}

// Packs rows and sees what they are.
class RowIntake final : public RowSink {
 public:
  RowIntake(PackedRowWriter& packed, RowSurvey& survey) : packed_(packed), survey_(survey) {}
  Status Add(std::string row) override {
    survey_.Add(row);
    return packed_.Add(std::move(row));
  }

 private:
  PackedRowWriter& packed_;
  RowSurvey& survey_;
};

// The first row where it looks like a header and the caller did not say whether there is one.
std::string UndeclaredHeader(const NewDataset& wanted, const RowSurvey& rows) {
  const ContentType type = ParseContentType(wanted.content_type);
  return type.Parameter("header").empty() ? rows.HeaderLike() : "";
}

StoredDataset Describe(const NewDataset& wanted, RowSurvey& rows, const std::string& sha256) {
  StoredDataset stored;
  Dataset& dataset = stored.dataset;
  dataset.workspace = wanted.workspace;
  dataset.name = wanted.name;
  dataset.description = wanted.description;
  rows.Describe(dataset);
  dataset.sha256 = sha256;
  dataset.created = Now();
  stored.content_sha256 = sha256;
  stored.header_like = UndeclaredHeader(wanted, rows);
  if (!stored.header_like.empty()) dataset.warnings = {HeaderWarning(stored.header_like)};
  return stored;
}

Result<std::optional<Dataset>> MadeBefore(Connection& connection, const std::string& workspace,
                                          const IdempotencyKey& key) {
  MLPROF_LET(id, FindKey(connection, workspace, key));
  if (!id) return std::nullopt;
  MLPROF_LET(stored, FindDataset(connection, workspace, *id));
  return std::move(stored.dataset);
}

Result<Dataset> CreateIn(Connection& connection, StoredDataset stored, const AzureTags& tags,
                         const IdempotencyKey& key) {
  Dataset& dataset = stored.dataset;
  MLPROF_TRY(EnsureWorkspace(connection, dataset.workspace));
  MLPROF_LET(before, MadeBefore(connection, dataset.workspace, key));
  if (before) return std::move(*before);
  MLPROF_LET(version, NextVersion(connection, "dataset", dataset.workspace, dataset.name));
  dataset.version = version;
  dataset.id = MakeResourceId(dataset.name, version);
  MLPROF_TRY(InsertDataset(connection, stored));
  if (!tags.empty()) MLPROF_TRY(SaveDatasetTags(connection, dataset, tags));
  MLPROF_TRY(SaveKey(connection, dataset.workspace, key, "dataset", dataset.id));
  return dataset;
}

}  // namespace

DatasetRegistry::DatasetRegistry(Database& database, ContentStore& content)
    : database_(database), content_(content) {}

Result<Dataset> DatasetRegistry::Register(const NewDataset& dataset, const SpooledBody& body,
                                          const IdempotencyKey& key) {
  MLPROF_TRY(CheckNewName(dataset.name));
  auto before = database_.Read(
      [&](Connection& connection) { return MadeBefore(connection, dataset.workspace, key); });
  if (!before) return Fail(before.error());
  if (*before) return std::move(**before);
  return Keep(dataset, key,
              [&](RowSink& rows) { return DecodeUpload(dataset.content_type, *body.file, rows); });
}

Result<Dataset> DatasetRegistry::RegisterRows(const NewDataset& dataset, const Rows& rows,
                                              const IdempotencyKey& key) {
  MLPROF_TRY(CheckNewName(dataset.name));
  return Keep(dataset, key, [&](RowSink& sink) -> Status {
    for (const std::string& row : rows) MLPROF_TRY(sink.Add(row));
    return {};
  });
}

Result<Dataset> DatasetRegistry::Keep(const NewDataset& dataset, const IdempotencyKey& key,
                                      const std::function<Status(RowSink&)>& give) {
  const RemovedAtEnd packed(content_.NewIncomingPath());
  MLPROF_LET(writer, PackedRowWriter::Create(packed.path()));
  RowSurvey survey;
  RowIntake intake(writer, survey);
  MLPROF_TRY(give(intake));
  MLPROF_LET(digest, writer.Finish());
  const StoredDataset described = Describe(dataset, survey, digest);
  UncommittedContent uncommitted(database_, content_, digest);
  MLPROF_TRY(content_.PutFile(packed.path(), uncommitted.claim()));
  auto made = database_.Write([&](Connection& connection) {
    return CreateIn(connection, described, dataset.azure_tags, key);
  });
  if (made) uncommitted.Keep();
  return made;
}

Result<Dataset> DatasetRegistry::Get(const std::string& workspace, const std::string& id) {
  return database_.Read([&](Connection& connection) -> Result<Dataset> {
    MLPROF_LET(stored, FindDataset(connection, workspace, id));
    return std::move(stored.dataset);
  });
}

Result<Page<Dataset>> DatasetRegistry::List(const std::string& workspace, const std::string& name,
                                            const PageRequest& page) {
  MLPROF_LET(before, SequenceBefore(page));
  return database_.Read([&](Connection& connection) {
    return ListDatasets(connection, workspace, name, before, page.top);
  });
}

Status DatasetRegistry::Delete(const std::string& workspace, const std::string& id) {
  const auto deleted = database_.Write([&](Connection& connection) -> Result<StoredDataset> {
    auto stored = FindDataset(connection, workspace, id);
    if (!stored) return stored;
    MLPROF_TRY(CheckDatasetUnused(connection, workspace, stored->dataset.id));
    MLPROF_TRY(ForgetKeys(connection, workspace, "dataset", stored->dataset.id));
    MLPROF_TRY(DeleteDataset(connection, stored->dataset));
    return stored;
  });
  if (!deleted) return Fail(deleted.error());
  ForgetContent(database_, content_, {&deleted->content_sha256, 1});
  return {};
}

Result<std::string> DatasetRegistry::ContentOf(const Dataset& dataset) {
  return database_.Read([&](Connection& connection) -> Result<std::string> {
    MLPROF_LET(stored, FindDataset(connection, dataset.workspace, dataset.id));
    return std::move(stored.content_sha256);
  });
}

Result<Rows> DatasetRegistry::ReadRows(const Dataset& dataset) {
  MLPROF_LET(sha256, ContentOf(dataset));
  const std::filesystem::path file = content_.FilePath(sha256);
  auto rows = ReadPackedRows(file);
  if (rows && PackedDigest(*rows) == sha256) return rows;
  const std::string owner = "the dataset " + dataset.id;
  MLPROF_TRY(VerifyFile(content_, sha256, owner));
  // The file is intact, or was taken back just now: it is read once more.
  rows = ReadPackedRows(file);
  if (!rows || PackedDigest(*rows) == sha256) return rows;
  return Fail(Internal("the rows of " + owner + " were read wrong; look into the kernel's log"));
}

Result<std::unique_ptr<RowSource>> DatasetRegistry::OpenRows(const Dataset& dataset,
                                                             const std::stop_token& stop) {
  if (HeldSize(dataset) <= kMostHeldRows) {
    MLPROF_LET(rows, ReadRows(dataset));
    return std::unique_ptr<RowSource>(std::make_unique<HeldRows>(std::move(rows)));
  }
  MLPROF_LET(sha256, ContentOf(dataset));
  const std::filesystem::path file = content_.FilePath(sha256);
  auto rows = OpenPackedRows(file, sha256, stop);
  if (rows || rows.error().code() == ErrorCode::kCancelled) return rows;
  MLPROF_TRY(VerifyFile(content_, sha256, "the dataset " + dataset.id, stop));
  // The file is intact, or was taken back just now: it is read once more.
  return OpenPackedRows(file, sha256, stop);
}

Result<Page<std::string>> DatasetRegistry::ReadRowsPage(const Dataset& dataset,
                                                        const PageRequest& page) {
  MLPROF_LET(sha256, ContentOf(dataset));
  // The whole file is checked with the first page only, not again for each that follows.
  if (page.cursor.empty()) {
    const Status intact = VerifyFile(content_, sha256, "the dataset " + dataset.id);
    if (!intact) return Fail(AsFault(intact.error()));
  }
  return ReadPackedPage(content_.FilePath(sha256), page);
}

}  // namespace mlprof::server
