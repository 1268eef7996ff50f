// --header present|none: whether the first record of a .csv is a header.
#pragma once

#include <string>

#include "client/cli/options.h"
#include "client/include/mlprof/rows_file.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

OptionSpec HeaderOption();

/// kInvalidArgument for another word, and where `file`, an existing one or not, is no .csv.
Result<CsvHeader> HeaderOf(const Options& options, const std::string& file);

}  // namespace mlprof::client::cli
