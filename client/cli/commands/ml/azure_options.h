// Options that every command of Azure's takes.
#pragma once

#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// `own`, and those of every command: --output with Azure's default, --query, verbosity.
std::vector<OptionSpec> WithAzureOptions(std::vector<OptionSpec> own);

/// One line on stderr for all of `names` that were given: they mean nothing to mlprof.
void SayIgnored(Session& session, const Options& options, const std::vector<std::string>& names);

/// What is wrong with the options that every command takes; to be asked before anything is done.
Status CheckAzureOptions(const Options& options);

}  // namespace mlprof::client::cli
