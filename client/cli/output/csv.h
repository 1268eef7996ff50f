// RFC 4180, one line a record.
#pragma once

#include <string>
#include <vector>

namespace mlprof::client::cli {

/// Fields quoted where they need it; ends in CRLF. One that a spreadsheet would run as a formula
/// (it begins with = + - @, a tab or a CR, and is no number) gets a ' in front.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace mlprof::client::cli
