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

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof {

/// A dataset is held in memory whole while it is decoded and while it is replayed.
inline constexpr Bytes kMaxDatasetUpload = MiB(256);
inline constexpr std::size_t kMaxDatasetRows = 2'000'000;

/// kUnsupportedMedia for another type or charset; kInvalidArgument with pointers such as "/rows/3"
/// (from 0, over the rows kept), at most 20 of them; kTooLarge for too many rows.
Result<Rows> DecodeRows(std::string_view content_type, std::string_view body);

}  // namespace mlprof
