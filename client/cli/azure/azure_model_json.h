// A model in the shape Azure's command line prints models in: "" where there is nothing to say.
// What Azure knows of a model and mlprof has no field for is kept in properties of reserved names.
#pragma once

#include <map>
#include <string>

#include "common/domain/model.h"
#include "common/json/json.h"
#include "common/time/timestamp.h"

namespace mlprof::cli {

/// Begins the names of those properties: "azureml.framework".
inline constexpr const char* kAzurePropertyPrefix = "azureml.";

Json AzureModelJson(const Model& model);

/// The properties that are the user's own.
std::map<std::string, std::string> OwnProperties(const Model& model);

/// As Python writes it: "2026-11-20T19:10:00.123000+00:00".
std::string AzureTime(Timestamp when);

}  // namespace mlprof::cli
