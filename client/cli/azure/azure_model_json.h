// A model in the shape Azure's command line prints models in: "" where there is nothing to say.
#pragma once

#include <map>
#include <string>

#include "common/domain/azure_names.h"
#include "common/domain/model.h"
#include "common/json/json.h"

namespace mlprof::client::cli {

Json AzureModelJson(const Model& model);

/// The properties that are the user's own.
std::map<std::string, std::string> OwnProperties(const Model& model);

}  // namespace mlprof::client::cli
