// Delimited text as the rows of a dataset and back, by the reading of Azure ML's clients. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "server/azure/datasets/dataflow.h"

namespace mlprof::server {

/// The one column of all texts, in order; empty lines are skipped, a leading BOM is dropped. A
/// field that begins with a quote ends with one, and two quotes inside it are one. kInvalidArgument
/// with pointers as of DecodeRows, for a second column, too.
Result<Rows> ReadDelimited(const std::vector<std::string>& texts, const DelimitedFormat& format);

/// Appends a line that reads as this row, the `number`th, quoted where it needs that.
/// kInvalidArgument for a row that is no text.
Status AppendLine(std::string& text, const std::string& row, std::size_t number);

}  // namespace mlprof::server
