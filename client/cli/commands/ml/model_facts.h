// What Azure's options say of a model that mlprof has no field for, and the file that hands a
// registered model on to another command.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/domain/model.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// CPU, memory, GPUs and sample datasets; for `register` and `update`.
std::vector<OptionSpec> ModelFactOptions();
/// The properties (with their reserved names) that these, the framework's and the run's options
/// set.
Result<std::map<std::string, std::string>> ModelFacts(const Options& options);

/// Writes {"modelId", "workspaceName", …}.
Status WriteModelMetadata(const std::filesystem::path& file, const Model& model,
                          const std::string& workspace);
/// The model id in such a file. kInvalidArgument where there is none.
Result<std::string> ReadModelMetadata(const std::filesystem::path& file);

}  // namespace mlprof::client::cli
