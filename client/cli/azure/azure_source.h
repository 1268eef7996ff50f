// The files that an Azure inference config names, found on this machine and made ready for upload.
#pragma once

#include <filesystem>
#include <vector>

#include "client/cli/azure/azure_inference.h"
#include "client/cli/inference_config_file.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// Relative paths are looked for in `folders`, in turn; the entry script and the conda file in the
/// source directory first. As in Azure, an entry script without one goes alone.
/// kInvalidArgument naming what is not there.
Result<LocalInferenceConfig> LocalInferenceOf(const AzureInference& azure,
                                              const std::vector<std::filesystem::path>& folders);

}  // namespace mlprof::client::cli
