// Values as Azure's command line prints them: a table of the members that are no lists or objects,
// tsv without keys, and nothing at all for null.
#pragma once

#include <string>

#include "client/cli/options.h"
#include "client/cli/output/format.h"
#include "client/cli/session.h"

namespace mlprof::client::cli {

std::string AzureFormatted(OutputFormat format, const Json& value);

/// kInvalidArgument for a --query that cannot be applied; to be asked before anything is done.
Status CheckQuery(const Options& options);
/// The result on stdout, reduced to what --query names.
Status PrintAzure(Session& session, const Options& options, const Json& value);

}  // namespace mlprof::client::cli
