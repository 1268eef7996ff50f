// The commands `mlprof ml model …`, each in a file of its own.
#pragma once

#include "client/cli/command.h"

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

}  // namespace mlprof::client::cli
