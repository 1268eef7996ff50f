// Delimited text as the rows of a dataset and back, by the reading of Azure ML's clients. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "server/azure/dataflow.h"

namespace mlprof {

/// The one column of all texts, in order; empty lines are skipped, a leading BOM is dropped. A
/// field that begins with a quote ends with one, and two quotes inside it are one. kInvalidArgument
/// with pointers as of DecodeRows, for a second column, too.
Result<Rows> ReadDelimited(const std::vector<std::string>& texts, const DelimitedFormat& format);

/// Text that reads as these rows, one a line, quoted where a row needs it. kInvalidArgument for a
/// row that is no text.
Result<std::string> WriteLines(const Rows& rows);

}  // namespace mlprof
