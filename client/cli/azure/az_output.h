// Values as Azure's command line prints them: a table of the members that are no lists or objects,
// tsv without keys, and nothing at all for null. Also the shape in which it prints a model.
#pragma once

#include <map>
#include <string>

#include "client/cli/options.h"
#include "client/cli/output/format.h"
#include "client/cli/session.h"
#include "common/domain/azure_names.h"
#include "common/domain/model.h"
#include "common/json/json.h"

namespace mlprof::client::cli {

std::string AzureFormatted(OutputFormat format, const Json& value);

/// kInvalidArgument for a --query that cannot be applied; to be asked before anything is done.
Status CheckQuery(const Options& options);
/// The result on stdout, reduced to what --query names.
Status PrintAzure(Session& session, const Options& options, const Json& value);

/// A model in the shape Azure's command line prints models in: "" where there is nothing to say.
Json AzureModelJson(const Model& model);

/// The properties that are the user's own.
std::map<std::string, std::string> OwnProperties(const Model& model);

}  // namespace mlprof::client::cli
