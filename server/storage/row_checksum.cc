#include "server/storage/row_checksum.h"

#include <sqlite3.h>

#include <array>
#include <new>

#include "common/hash/sha256.h"
#include "server/storage/byte_codec.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

constexpr int kDigits = 16;

struct CheckedTable {
  const char* name;
  const char* damaged;  // a statement that names the rows that are not as they were written
};

// The lists of columns are those of the statements that write the rows.
constexpr std::array<CheckedTable, 9> kTables = {{
    {"models", R"sql(
       SELECT 'the model ' || name || ':' || version || ' of workspace ' || workspace
       FROM models NOT INDEXED
       WHERE checksum <> row_checksum(workspace, name, version, sha256, tags, document) LIMIT 3)sql"},
    {"datasets", R"sql(
       SELECT 'the dataset ' || name || ':' || version || ' of workspace ' || workspace
       FROM datasets NOT INDEXED
       WHERE checksum <> row_checksum(workspace, name, version, description, row_count,
                                      distinct_row_count, size_bytes, content_sha256,
                                      created_unix_ms, row_form) LIMIT 3)sql"},
    {"sources", R"sql(
       SELECT 'the source sha256:' || sha256 || ' of workspace ' || workspace
       FROM sources NOT INDEXED
       WHERE checksum <> row_checksum(workspace, sha256, size_bytes, created_unix_ms)
       LIMIT 3)sql"},
    {"profiles", R"sql(
       SELECT 'the profile ' || name || ' (' || id || ') of workspace ' || workspace
       FROM profiles NOT INDEXED
       WHERE checksum <> row_checksum(id, workspace, name, state, dataset_id, created_unix_ms,
                                      document) LIMIT 3)sql"},
    {"comparisons", R"sql(
       SELECT 'the comparison ' || name || ' of workspace ' || workspace
       FROM comparisons NOT INDEXED
       WHERE checksum <> row_checksum(id, workspace, name, created_unix_ms, profile_ids, document)
       LIMIT 3)sql"},
    {"profile_artifacts", R"sql(
       SELECT 'the artifact ' || name || ' of the profile ' || profile_id
       FROM profile_artifacts NOT INDEXED
       WHERE checksum <> row_checksum(id, profile_id, kind, name, media_type, sha256, size_bytes,
                                      created_unix_ms) LIMIT 3)sql"},
    {"captures", R"sql(
       SELECT 'the capture sha256:' || sha256 || ' of workspace ' || workspace
       FROM captures NOT INDEXED
       WHERE checksum <> row_checksum(workspace, sha256, size_bytes, created_unix_ms)
       LIMIT 3)sql"},
    {"azure_blobs", R"sql(
       SELECT 'the blob ' || container || '/' || path || ' of workspace ' || workspace
       FROM azure_blobs NOT INDEXED
       WHERE checksum <> row_checksum(workspace, container, path, sha256, size_bytes,
                                      modified_unix_ms) LIMIT 3)sql"},
    {"azure_blocks", R"sql(
       SELECT 'a block of the blob ' || container || '/' || path || ' of workspace ' || workspace
       FROM azure_blocks NOT INDEXED
       WHERE checksum <> row_checksum(workspace, container, path, block_id, sha256, size_bytes,
                                      created_unix_ms) LIMIT 3)sql"},
}};

void AddValue(Sha256& sha, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  ByteWriter head;
  head.Unsigned(static_cast<std::uint64_t>(type));
  if (type == SQLITE_INTEGER) head.Signed(sqlite3_value_int64(value));
  if (type == SQLITE_FLOAT) head.Double(sqlite3_value_double(value));
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return sha.Add(head.Take());
  const void* bytes = sqlite3_value_blob(value);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  head.Unsigned(size);
  sha.Add(head.Take());
  if (size > 0) sha.Add({static_cast<const char*>(bytes), size});
}

void RowChecksum(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    Sha256 sha;
    for (int i = 0; i < count; ++i) AddValue(sha, values[i]);
    sqlite3_result_text(context, sha.Hex().c_str(), kDigits, SQLITE_TRANSIENT);
  } catch (const std::bad_alloc&) {  // SQLite's frames are above
    sqlite3_result_error_nomem(context);
  }
}

Result<bool> HasChecksums(Connection& connection, const char* table) {
  Statement row(connection, R"sql(
    SELECT 1 FROM pragma_table_info(:table) WHERE name = 'checksum')sql");
  return row.Bind(":table", table).Step();
}

}  // namespace

Status AddRowChecksum(Connection& connection) {
  const int code =
      sqlite3_create_function_v2(connection.handle(), "row_checksum", -1,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nullptr,
                                 &RowChecksum, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Fail(connection.ErrorOf(code, "adding row_checksum"));
  return {};
}

Error DamagedRow(std::string_view what) {
  return Internal("the row of " + std::string(what) +
                  " in the database is damaged; stop the server and restore the data directory "
                  "from a backup");
}

Result<std::vector<std::string>> FindDamagedRows(Connection& connection) {
  std::vector<std::string> damaged;
  for (const CheckedTable& table : kTables) {
    MLPROF_LET(checked, HasChecksums(connection, table.name));
    if (!checked) continue;
    Statement rows(connection, table.damaged);
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) break;
      damaged.push_back("the row of " + rows.Text(0) + " is not as it was written");
    }
  }
  return damaged;
}

}  // namespace mlprof::server
