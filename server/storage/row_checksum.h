// Checksums over the values of a row. SQLite keeps none: a bit that changes inside of a value
// passes its integrity check. Rows of models, datasets, sources, profiles, comparisons, artifacts,
// blobs and blocks carry one in their column `checksum`, and so do those of what was measured,
// where it is NULL for rows that are older than it. Whoever writes such a row sets it with the SQL
// function row_checksum(value, …), whoever reads one compares (of phases only the time of the last
// is read, and not compared). The function is part of the database's format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"
#include "server/storage/connection.h"

namespace mlprof::server {

/// Makes row_checksum() known to a connection: 16 hex digits of the SHA-256 of its arguments, each
/// with its type and length.
Status AddRowChecksum(Connection& connection);

/// kInternal: the row of `what` ("the model words:1") does not agree with its checksum.
Error DamagedRow(std::string_view what);

/// The rows that do not agree with their checksums, as "the model words:1 of workspace default";
/// the first few of each table. Tables are read whole and by no index. What was measured is looked
/// at when it is read alone: one damaged series keeps no server from its start. A schema from
/// before the checksums has none to check.
Result<std::vector<std::string>> FindDamagedRows(Connection& connection);

}  // namespace mlprof::server
