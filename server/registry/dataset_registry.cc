#include "server/registry/dataset_registry.h"

#include <optional>
#include <string_view>
#include <unordered_set>

#include "common/log/log.h"
#include "server/registry/byte_source.h"
#include "server/registry/content_references.h"
#include "server/registry/content_type.h"
#include "server/registry/dataset_rows.h"
#include "server/registry/header_row.h"
#include "server/registry/packed_rows.h"
#include "server/registry/resource_id.h"
#include "server/registry/row_formats.h"
#include "server/registry/text_checks.h"
#include "server/registry/verified_tree.h"
#include "server/registry/versions.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/durable_file.h"
#include "server/storage/idempotency_keys.h"
#include "server/storage/names.h"
#include "server/storage/page_cursor.h"
#include "server/storage/workspaces.h"

namespace mlprof {
namespace {

Status CheckNewName(const std::string& name) {
  if (IsValidName(name)) return {};
  return Fail(Error(ErrorCode::kInvalidArgument, "the dataset's name cannot be one",
                    {{"/name", "letters, digits, '-', '_' and '.', up to 255"}}));
}

RowForm FormOf(const Rows& rows) {
  RowForm form = RowForm::kLines;
  for (const std::string& row : rows) {
    if (FirstInvalidUtf8(row)) return RowForm::kBinary;
    if (row.find('\n') != std::string::npos) form = RowForm::kMultiLine;
  }
  return form;
}

Dataset DescribeRows(const NewDataset& wanted, const Rows& rows, const std::string& sha256) {
  Dataset dataset;
  dataset.workspace = wanted.workspace;
  dataset.name = wanted.name;
  dataset.description = wanted.description;
  dataset.row_count = static_cast<std::int64_t>(rows.size());
  std::unordered_set<std::string_view> distinct;
  for (const std::string& row : rows) {
    distinct.insert(row);
    dataset.size += Bytes(static_cast<std::int64_t>(row.size()));
  }
  dataset.distinct_row_count = static_cast<std::int64_t>(distinct.size());
  dataset.sha256 = sha256;
  dataset.form = FormOf(rows);
  dataset.created = Now();
  return dataset;
}

// Whoever says whether there is a header needs no guess.
std::string UndeclaredHeader(const NewDataset& wanted, const Rows& rows) {
  const ContentType type = ParseContentType(wanted.content_type);
  return type.Parameter("header").empty() ? HeaderLikeRow(rows) : "";
}

StoredDataset Describe(const NewDataset& wanted, const Rows& rows, const std::string& sha256) {
  StoredDataset stored{DescribeRows(wanted, rows, sha256), sha256, UndeclaredHeader(wanted, rows)};
  if (!stored.header_like.empty()) stored.dataset.warnings = {HeaderWarning(stored.header_like)};
  return stored;
}

Result<std::optional<Dataset>> MadeBefore(Connection& connection, const std::string& workspace,
                                          const IdempotencyKey& key) {
  const auto id = FindKey(connection, workspace, key);
  if (!id) return Fail(id.error());
  if (!*id) return std::nullopt;
  auto stored = FindDataset(connection, workspace, **id);
  if (!stored) return Fail(stored.error());
  return std::move(stored->dataset);
}

Result<Dataset> CreateIn(Connection& connection, StoredDataset stored, const IdempotencyKey& key) {
  Dataset& dataset = stored.dataset;
  MLPROF_TRY(EnsureWorkspace(connection, dataset.workspace));
  auto before = MadeBefore(connection, dataset.workspace, key);
  if (!before) return Fail(before.error());
  if (*before) return std::move(**before);
  const auto version = NextVersion(connection, "dataset", dataset.workspace, dataset.name);
  if (!version) return Fail(version.error());
  dataset.version = *version;
  dataset.id = MakeResourceId(dataset.name, *version);
  MLPROF_TRY(InsertDataset(connection, stored));
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
  const auto text = ReadWholeFile(*body.file, kMaxDatasetUpload, "a dataset");
  if (!text) return Fail(text.error());
  const auto rows = DecodeRows(dataset.content_type, *text);
  if (!rows) return Fail(rows.error());
  return RegisterRows(dataset, *rows, key);
}

Result<Dataset> DatasetRegistry::RegisterRows(const NewDataset& dataset, const Rows& rows,
                                              const IdempotencyKey& key) {
  MLPROF_TRY(CheckNewName(dataset.name));
  const RemovedAtEnd packed(content_.NewIncomingPath());
  const auto digest = WritePackedRows(packed.path(), rows);
  if (!digest) return Fail(digest.error());
  const auto lock = content_.Lock();
  MLPROF_TRY(content_.PutFile(packed.path(), *digest));
  return database_.Write([&](Connection& connection) {
    return CreateIn(connection, Describe(dataset, rows, *digest), key);
  });
}

Result<Dataset> DatasetRegistry::Get(const std::string& workspace, const std::string& id) {
  return database_.Read([&](Connection& connection) -> Result<Dataset> {
    auto stored = FindDataset(connection, workspace, id);
    if (!stored) return Fail(stored.error());
    return std::move(stored->dataset);
  });
}

Result<Page<Dataset>> DatasetRegistry::List(const std::string& workspace, const std::string& name,
                                            const PageRequest& page) {
  const auto before = SequenceBefore(page);
  if (!before) return Fail(before.error());
  return database_.Read([&](Connection& connection) {
    return ListDatasets(connection, workspace, name, *before, page.top);
  });
}

Status DatasetRegistry::Delete(const std::string& workspace, const std::string& id) {
  const auto lock = content_.Lock();
  const auto deleted = database_.Write([&](Connection& connection) -> Result<StoredDataset> {
    auto stored = FindDataset(connection, workspace, id);
    if (!stored) return stored;
    MLPROF_TRY(CheckDatasetUnused(connection, workspace, stored->dataset.id));
    MLPROF_TRY(ForgetKeys(connection, workspace, "dataset", stored->dataset.id));
    MLPROF_TRY(DeleteDataset(connection, stored->dataset));
    return stored;
  });
  if (!deleted) return Fail(deleted.error());
  // The dataset is gone; what cannot be removed now, the next start puts into quarantine.
  if (Status status = RemoveUnreferenced(database_, content_, {&deleted->content_sha256, 1});
      !status) {
    LogWarn("content left behind", {{"reason", status.error().message()}});
  }
  return {};
}

Result<std::string> DatasetRegistry::ContentOf(const Dataset& dataset) {
  return database_.Read([&](Connection& connection) -> Result<std::string> {
    auto stored = FindDataset(connection, dataset.workspace, dataset.id);
    if (!stored) return Fail(stored.error());
    return std::move(stored->content_sha256);
  });
}

Result<Rows> DatasetRegistry::ReadRows(const Dataset& dataset) {
  const auto sha256 = ContentOf(dataset);
  if (!sha256) return Fail(sha256.error());
  const std::filesystem::path file = content_.FilePath(*sha256);
  auto rows = ReadPackedRows(file);
  if (rows && PackedDigest(*rows) == *sha256) return rows;
  const std::string owner = "the dataset " + dataset.id;
  MLPROF_TRY(VerifyFile(content_, *sha256, owner));
  // It is there and intact now: what was read wrong once is read again.
  rows = ReadPackedRows(file);
  if (!rows || PackedDigest(*rows) == *sha256) return rows;
  return Fail(Internal("the rows of " + owner + " were read wrong; look into the kernel's log"));
}

Result<Page<std::string>> DatasetRegistry::ReadRowsPage(const Dataset& dataset,
                                                        const PageRequest& page) {
  const auto sha256 = ContentOf(dataset);
  if (!sha256) return Fail(sha256.error());
  // Once for all the pages that follow.
  if (page.cursor.empty()) {
    const Status intact = VerifyFile(content_, *sha256, "the dataset " + dataset.id);
    if (!intact) return Fail(AsFault(intact.error()));
  }
  return ReadPackedPage(content_.FilePath(*sha256), page);
}

}  // namespace mlprof
