// A file of request bodies on this machine: its media type by extension, and its rows, read as the
// server reads them, so that the client can tell whether a dataset has the same content.
#pragma once

#include <filesystem>
#include <string>

#include "common/domain/dataset.h"
#include "common/result/result.h"

namespace mlprof::client {

/// Whether the first record of a .csv is a header; other files have none.
enum class CsvHeader {
  kUnsaid,  // none, and the server warns where it looks like one
  kPresent,
  kNone,
};

/// .csv, .jsonl and .json; anything else is text/plain.
std::string RowsMediaType(const std::filesystem::path& file, CsvHeader header = CsvHeader::kUnsaid);

/// kInvalidArgument for what the server would refuse as well (its own message is the better one).
Result<Rows> ReadRows(const std::filesystem::path& file, CsvHeader header = CsvHeader::kUnsaid);

}  // namespace mlprof::client
