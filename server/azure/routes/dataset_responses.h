// Datasets as Azure ML's clients read them.
#pragma once

#include <string>

#include "common/domain/dataset.h"
#include "common/json/json.h"
#include "server/azure/azure_api.h"

namespace mlprof::server {

/// The definition of a text that holds exactly the dataset's rows. kInvalidArgument where a row is
/// no text.
Result<std::string> DatasetYaml(const Dataset& dataset);
/// A registered dataset; errors as above.
Result<Json> EncodeAzureDataset(const AzureServices& azure, const Dataset& dataset);
/// Its content alone, without name and version.
Result<Json> EncodeSavedDataset(const Dataset& dataset);

}  // namespace mlprof::server
