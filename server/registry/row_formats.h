// The formats a dataset comes in, decoded to its rows: one request body each. Pure.
//
//   text/plain         a line is a row; empty lines are skipped, a leading BOM is dropped
//   application/jsonl  a line that is a JSON string gives its text, {"base64":"…"} its bytes, any
//                      other JSON value the line itself; blank lines are skipped
//   text/csv           RFC 4180, one column; ";header=present" drops the first record,
//   ";header=absent"
//                      says that it is a row; blank lines are skipped (a quoted "" is an empty row)
//   application/json   {"rows":["…", {"base64":"…"}]}
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/registry/row_collector.h"

namespace mlprof::server {

/// The most that is decoded whole: a CSV or JSON text, a line of another. It bounds the memory that
/// an upload takes.
inline constexpr Bytes kMaxDatasetText = MiB(256);
/// Bounds what is kept of each row: eight bytes while it is taken in, four in its index.
inline constexpr std::size_t kMaxDatasetRows = 2'000'000;

/// Gives the rows to `rows`, which has some of them where it fails. kUnsupportedMedia for another
/// type or charset; kInvalidArgument with pointers such as "/rows/3" (from 0, over the rows kept),
/// at most 20 of them; kTooLarge for too many rows.
Status DecodeRows(std::string_view content_type, std::string_view body, RowSink& rows);

/// What takes a text of this type line by line; null where its rows are no lines. kUnsupportedMedia
/// as of DecodeRows.
using LineTaker = void (*)(RowCollector& rows, std::string_view line);
Result<LineTaker> LinesOf(std::string_view content_type);

}  // namespace mlprof::server
