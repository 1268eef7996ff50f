// The commands `mlprof ml model …`, which the sources of this folder hold, and the options that all
// of them take.
#pragma once

#include <string>
#include <vector>

#include "client/cli/command.h"
#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

Command RegisterMlModelCommand();
Command ListMlModelsCommand();
Command ShowMlModelCommand();
Command UpdateMlModelCommand();
Command DeleteMlModelCommand();
Command DownloadMlModelCommand();
Command ProfileMlModelCommand();

/// Changes the model that --model-id names; Microsoft's page spells it as `profile` too.
Result<int> UpdateMlModel(Session& session, const Options& options);

/// `own`, and those that every command of Azure's takes: --output with Azure's default, --query,
/// verbosity.
std::vector<OptionSpec> WithAzureOptions(std::vector<OptionSpec> own);

/// One line on stderr for all of `names` that were given: they mean nothing to mlprof.
void SayIgnored(Session& session, const Options& options, const std::vector<std::string>& names);

/// What is wrong with the options that every command takes; to be asked before anything is done.
Status CheckAzureOptions(const Options& options);

}  // namespace mlprof::client::cli
