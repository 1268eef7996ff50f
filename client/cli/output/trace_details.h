// What a tool has made of a device trace, as a terminal shows it. Pure.
#pragma once

#include <string>

#include "client/cli/output/format.h"
#include "common/json/json.h"

namespace mlprof::client::cli {

/// Headings, figures and lists; what the document does not hold is left out.
std::string TraceDetails(const std::string& tool, const Json& document);
/// The main list of the document in columns, for tsv.
Table TraceTable(const std::string& tool, const Json& document);

}  // namespace mlprof::client::cli
