#include "client/cli/commands/ml/ml_commands.h"

namespace mlprof::client::cli {

std::vector<Command> MlCommands() {
  std::vector<Command> commands = {ProfileMlModelCommand(), RegisterMlModelCommand(),
                                   ListMlModelsCommand(),   ShowMlModelCommand(),
                                   UpdateMlModelCommand(),  DeleteMlModelCommand(),
                                   DownloadMlModelCommand()};
  for (Command& command : commands) command.default_format = OutputFormat::kJson;
  return commands;
}

}  // namespace mlprof::client::cli
