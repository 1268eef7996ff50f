#include "client/cli/command.h"

namespace mlprof::client::cli {
namespace {

Result<int> DeleteSource(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  const std::string& id = options.operands()[0];
  MLPROF_TRY(client.sources().Delete(id));
  session.Say("deleted source " + id);
  return kDone;
}

}  // namespace

std::vector<Command> SourceCommands() {
  return {{"source delete",
           "ID",
           "delete the folder of an entry script that no profile needs any more",
           1,
           1,
           {},
           {"mlprof source delete "
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
           DeleteSource}};
}

}  // namespace mlprof::client::cli
