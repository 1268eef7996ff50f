// What `mlprof profile --variants FILE` does with its comparison. The commands that look at one
// again are declared in command.h.
#pragma once

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "client/cli/variants_file.h"
#include "common/domain/profile.h"

namespace mlprof::client::cli {

/// kInvalidArgument for options that need --variants, or cannot be had with it.
Status CheckVariantUse(const Options& options);
/// The file of --variants, with the prices of the options.
Result<VariantsFile> VariantsOf(const Options& options);
/// Queues the variants of `base`, watches each to its end and prints them side by side. Gives the
/// exit status.
Result<int> CreateComparison(Session& session, Client& client, const Options& options,
                             VariantsFile file, ProfileRequest base);

}  // namespace mlprof::client::cli
