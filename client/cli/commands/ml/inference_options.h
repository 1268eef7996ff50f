// How a model is served, in Azure's options: a file, single parts of it, or both.
#pragma once

#include <optional>
#include <vector>

#include "client/cli/inference_config_file.h"
#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

std::vector<OptionSpec> InferenceOptions();

/// Nothing is uploaded yet; what is left out is said on stderr. nullopt where nothing is given:
/// then the model's stored config applies.
Result<std::optional<LocalInferenceConfig>> InferenceOf(Session& session, const Options& options);

}  // namespace mlprof::client::cli
