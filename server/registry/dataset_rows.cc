#include "server/registry/dataset_rows.h"

#include <vector>

#include "server/registry/content_guid.h"
#include "server/registry/resource_id.h"
#include "server/registry/row_survey.h"
#include "server/storage/page.h"
#include "server/storage/row_checksum.h"

namespace mlprof::server {
namespace {

Error NoSuchDataset(const std::string& id) {
  return NotFound("there is no dataset \"" + id + "\"");
}

constexpr const char* kLines = "lines";
constexpr const char* kMultiLine = "multiLine";
constexpr const char* kBinary = "binary";

RowForm FormOf(const std::string& text) {
  if (text == kLines) return RowForm::kLines;
  return text == kBinary ? RowForm::kBinary : RowForm::kMultiLine;
}

const char* TextOf(RowForm form) {
  if (form == RowForm::kLines) return kLines;
  return form == RowForm::kBinary ? kBinary : kMultiLine;
}

// Columns in the order of the SELECTs below.
Result<StoredDataset> ReadRow(const Statement& row) {
  if (row.Int(11) == 0) {
    return Fail(DamagedRow("the dataset " + row.Text(2) + ":" + std::to_string(row.Int(3))));
  }
  StoredDataset stored;
  Dataset& dataset = stored.dataset;
  dataset.workspace = row.Text(1);
  dataset.name = row.Text(2);
  dataset.version = static_cast<int>(row.Int(3));
  dataset.id = MakeResourceId(dataset.name, dataset.version);
  dataset.description = row.Text(4);
  dataset.row_count = row.Int(5);
  dataset.distinct_row_count = row.Int(6);
  dataset.size = Bytes(row.Int(7));
  dataset.created = row.Time(8);
  dataset.sha256 = row.Text(9);
  dataset.form = FormOf(row.Text(10));
  stored.content_sha256 = dataset.sha256;
  stored.header_like = row.Text(12);
  if (!stored.header_like.empty()) dataset.warnings = {HeaderWarning(stored.header_like)};
  return stored;
}

// The newest of those that hold the content a GUID names.
Result<StoredDataset> FindByContent(Connection& connection, const std::string& workspace,
                                    const std::string& id) {
  const auto prefix = DigestPrefix(id);
  if (!prefix) return Fail(NoSuchDataset(id));
  Statement row(connection, R"sql(
    SELECT sequence, workspace, name, version, description, row_count, distinct_row_count,
           size_bytes, created_unix_ms, content_sha256, row_form,
           checksum = row_checksum(workspace, name, version, description, row_count,
                                   distinct_row_count, size_bytes, content_sha256, created_unix_ms,
                                   row_form),
           header_like
    FROM datasets
    WHERE content_sha256 >= :prefix AND content_sha256 < :prefix || 'g' AND workspace = :workspace
    ORDER BY sequence DESC LIMIT 1)sql");
  const Result<bool> found = row.Bind(":prefix", *prefix).Bind(":workspace", workspace).Step();
  if (!found) return Fail(found.error());
  if (!*found) return Fail(NoSuchDataset(id));
  return ReadRow(row);
}

}  // namespace

Result<StoredDataset> FindDataset(Connection& connection, const std::string& workspace,
                                  const std::string& id) {
  // By content first, which never changes: a dataset whose name is the GUID of another one's
  // content must not hide that other one.
  auto by_content = FindByContent(connection, workspace, id);
  if (by_content || by_content.error().code() != ErrorCode::kNotFound) return by_content;
  const auto parsed = ParseResourceId(id);
  if (!parsed) return Fail(NoSuchDataset(id));
  Statement row(connection, R"sql(
    SELECT sequence, workspace, name, version, description, row_count, distinct_row_count,
           size_bytes, created_unix_ms, content_sha256, row_form,
           checksum = row_checksum(workspace, name, version, description, row_count,
                                   distinct_row_count, size_bytes, content_sha256, created_unix_ms,
                                   row_form),
           header_like
    FROM datasets
    WHERE workspace = :workspace AND name = :name AND (:version = 0 OR version = :version)
    ORDER BY version DESC LIMIT 1)sql");
  const Result<bool> found = row.Bind(":workspace", workspace)
                                 .Bind(":name", parsed->name)
                                 .Bind(":version", parsed->version)
                                 .Step();
  if (!found) return Fail(found.error());
  if (!*found) return Fail(NoSuchDataset(id));
  return ReadRow(row);
}

Status InsertDataset(Connection& connection, const StoredDataset& stored) {
  const Dataset& dataset = stored.dataset;
  return Statement(connection, R"sql(
           INSERT INTO datasets (workspace, name, version, description, row_count,
                                 distinct_row_count, size_bytes, content_sha256, created_unix_ms,
                                 row_form, header_like, checksum)
           VALUES (:workspace, :name, :version, :description, :row_count,
                   :distinct_row_count, :size, :content_sha256, :created, :row_form, :header_like,
                   row_checksum(:workspace, :name, :version, :description, :row_count,
                                :distinct_row_count, :size, :content_sha256, :created,
                                :row_form)))sql")
      .Bind(":workspace", dataset.workspace)
      .Bind(":name", dataset.name)
      .Bind(":version", dataset.version)
      .Bind(":description", dataset.description)
      .Bind(":row_count", dataset.row_count)
      .Bind(":distinct_row_count", dataset.distinct_row_count)
      .Bind(":size", dataset.size.count())
      .Bind(":content_sha256", stored.content_sha256)
      .Bind(":created", dataset.created)
      .Bind(":row_form", TextOf(dataset.form))
      .Bind(":header_like", stored.header_like)
      .Run();
}

Result<Page<Dataset>> ListDatasets(Connection& connection, const std::string& workspace,
                                   const std::string& name, std::int64_t before, int top) {
  Statement rows(connection, R"sql(
    SELECT sequence, workspace, name, version, description, row_count, distinct_row_count,
           size_bytes, created_unix_ms, content_sha256, row_form,
           checksum = row_checksum(workspace, name, version, description, row_count,
                                   distinct_row_count, size_bytes, content_sha256, created_unix_ms,
                                   row_form),
           header_like
    FROM datasets
    WHERE workspace = :workspace AND sequence < :before AND (:name = '' OR name = :name)
    ORDER BY sequence DESC LIMIT :limit)sql");
  rows.Bind(":workspace", workspace)
      .Bind(":before", before)
      .Bind(":name", name)
      .Bind(":limit", top + 1);
  PageOf<Dataset> datasets(top);
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row || !datasets.Takes(rows.Size(4))) return datasets.Take();
    MLPROF_LET(stored, ReadRow(rows));
    datasets.Add(std::move(stored.dataset), rows.Int(0));
  }
}

Status DeleteDataset(Connection& connection, const Dataset& dataset) {
  return Statement(connection, R"sql(
           DELETE FROM datasets
           WHERE workspace = :workspace AND name = :name AND version = :version)sql")
      .Bind(":workspace", dataset.workspace)
      .Bind(":name", dataset.name)
      .Bind(":version", dataset.version)
      .Run();
}

}  // namespace mlprof::server
