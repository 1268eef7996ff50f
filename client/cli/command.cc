#include "client/cli/command.h"

namespace mlprof::cli {
namespace {

std::vector<Command> MakeAll() {
  std::vector<Command> all;
  for (auto group : {ModelCommands(), DatasetCommands(), ProfileCommands(), TokenCommands()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  all.push_back(CreateProfileCommand());
  all.push_back(CompareCommand());
  all.push_back(ExportCommand());
  all.push_back(WhatIfCommand());
  all.push_back(DoctorCommand());
  return all;
}

}  // namespace

const std::vector<Command>& AllCommands() {
  static const std::vector<Command> all = MakeAll();
  return all;
}

const std::vector<LaterCommand>& LaterCommands() {
  static const std::vector<LaterCommand> later = {
      {"capture", "capturing device traces"},
      {"trace", "reading device traces"},
      {"azure-env", "serving the Azure ML v1 SDK"},
      {"ml", "Azure CLI v1's spelling (mlprof ml …)"},
      {"backup", "backup"},
  };
  return later;
}

}  // namespace mlprof::cli
