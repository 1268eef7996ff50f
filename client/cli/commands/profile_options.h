// The options of `mlprof profile` and the request they make. Those that say what an answer must
// hold are a part of them, and `mlprof what-if` takes them too.
#pragma once

#include <vector>

#include "client/cli/options.h"
#include "common/domain/objective.h"
#include "common/domain/profile.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

std::vector<OptionSpec> ProfileOptions();

/// All but models, dataset and inference config, which may have to be registered first.
/// kInvalidArgument naming the option.
Result<ProfileRequest> ProfileRequestOf(const Options& options);

/// The ceiling out of the two options of these names. kInvalidArgument naming one that is below the
/// least limits, in the server's words.
Status ReadCeiling(const Options& options, const char* cpu_option, const char* memory_option,
                   Ceiling& ceiling);

/// The options that say what an answer must hold.
std::vector<OptionSpec> ObjectiveOptions();
bool HasObjectiveOptions(const Options& options);

/// What is given replaces what `objective` says, a rate its concurrency and the other way round;
/// the rest stays. kInvalidArgument naming the option.
Status ApplyObjectiveOptions(const Options& options, Objective& objective);

}  // namespace mlprof::client::cli
