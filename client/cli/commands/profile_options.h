// The options of `mlprof profile` and the request they make.
#pragma once

#include <vector>

#include "client/cli/options.h"
#include "common/domain/profile.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

std::vector<OptionSpec> ProfileOptions();

/// All but models, dataset and inference config, which may have to be registered first.
/// kInvalidArgument naming the option.
Result<ProfileRequest> ProfileRequestOf(const Options& options);

}  // namespace mlprof::client::cli
