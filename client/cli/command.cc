#include "client/cli/command.h"

#include <algorithm>
#include <array>

namespace mlprof::client::cli {
namespace {

std::vector<Command> MakeAll() {
  std::vector<Command> all;
  for (auto group :
       {ModelCommands(), DatasetCommands(), SourceCommands(), ProfileCommands(), TokenCommands()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  all.push_back(CreateProfileCommand());
  all.push_back(CompareCommand());
  all.push_back(ArtifactsCommand());
  all.push_back(ExportCommand());
  all.push_back(WhatIfCommand());
  all.push_back(GcCommand());
  all.push_back(DoctorCommand());
  all.push_back(AzureEnvCommand());
  for (Command& command : MlCommands()) all.push_back(std::move(command));
  return all;
}

}  // namespace

const std::vector<Command>& AllCommands() {
  static const std::vector<Command> all = MakeAll();
  return all;
}

bool Destroys(const std::string& path) {
  constexpr std::array<std::string_view, 5> kWords = {"delete", "cancel", "revoke", "gc",
                                                      "restore"};
  const std::string last = path.substr(path.rfind(' ') + 1);
  return std::find(kWords.begin(), kWords.end(), last) != kWords.end();
}

const std::vector<LaterCommand>& LaterCommands() {
  static const std::vector<LaterCommand> later = {
      {"capture", "capturing device traces"},
      {"trace", "reading device traces"},
      {"backup", "backup"},
  };
  return later;
}

}  // namespace mlprof::client::cli
