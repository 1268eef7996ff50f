// The Python environments of entry scripts, as folders of the data directory: one for each content.
#pragma once

#include <string>
#include <vector>

#include "server/runtime/process/process_context.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::process {

struct Preparing {
  ProcessContext& context;
  const PrepareOutput& output;
  Patience patience;
};

/// This machine's python3, which entry scripts are served with. kInvalidArgument where it has none.
Result<std::string> PythonProgram();

/// Its hash as the image's id. Packages are installed once, with this machine's python3, in a
/// sandbox as models have one, but with the machine's network. kInvalidArgument with the last lines
/// where they cannot be.
Result<PreparedImage> PrepareEnvironment(const Preparing& preparing, const PrepareRequest& request);

/// As Runtime::KeptImages and Runtime::RemoveImage.
Result<std::vector<KeptImage>> ListEnvironments(ProcessContext& context,
                                                const std::vector<PrepareRequest>& waiting,
                                                const Patience& patience);
/// Those that a server which was killed had not finished, with what they were lent to install;
/// none while one is being prepared. How many.
int RemoveUnfinishedEnvironments(ProcessContext& context, const Patience& patience);
Status RemoveEnvironment(ProcessContext& context, const KeptImage& image, const Patience& patience);

}  // namespace mlprof::server::process
