// RFC 4180, one line a record.
#pragma once

#include <string>
#include <vector>

namespace mlprof::cli {

/// Fields quoted where they need it; ends in CRLF.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace mlprof::cli
