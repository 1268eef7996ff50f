// The options that say what an answer must hold.
#pragma once

#include <vector>

#include "client/cli/options.h"
#include "common/domain/objective.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

std::vector<OptionSpec> ObjectiveOptions();
bool HasObjectiveOptions(const Options& options);

/// What is given replaces what `objective` says, a rate its concurrency and the other way round;
/// the rest stays. kInvalidArgument naming the option.
Status ApplyObjectiveOptions(const Options& options, Objective& objective);

}  // namespace mlprof::client::cli
