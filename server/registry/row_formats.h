// The formats a dataset comes in, decoded to its rows: one request body each. Pure.
//
//   text/plain         a line is a row; empty lines are skipped, a leading BOM is dropped
//   application/jsonl  a line that is a JSON string gives its text, {"base64":"…"} its bytes, any
//                      other JSON value the line itself; blank lines are skipped
//   text/csv           RFC 4180, one column; ";header=present" drops the first record, and
//                      ";header=absent" says that it is a row; blank lines are skipped (a quoted ""
//                      is an empty row)
//   application/json   {"rows":["…", {"base64":"…"}]}
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/registry/row_sink.h"

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

/// Lines of a text, without their LF or CRLF.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  /// nullopt behind the last line; a final line end opens no further line.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  std::string_view rest_;
};

/// The rows of a CSV text (RFC 4180) with one column, as of DecodeRows. A fault in the structure (a
/// second column, a stray or missing quote) ends it.
Status DecodeCsvRows(std::string_view body, bool has_header, RowSink& sink);

}  // namespace mlprof::server
