#include "client/cli/commands/ml/ml_commands.h"

#include "client/cli/azure/az_output.h"
#include "client/cli/command.h"

namespace mlprof::client::cli {

std::vector<Command> MlCommands() {
  std::vector<Command> commands = {ProfileMlModelCommand(), RegisterMlModelCommand(),
                                   ListMlModelsCommand(),   ShowMlModelCommand(),
                                   UpdateMlModelCommand(),  DeleteMlModelCommand(),
                                   DownloadMlModelCommand()};
  for (Command& command : commands) command.default_format = OutputFormat::kJson;
  return commands;
}

std::vector<OptionSpec> WithAzureOptions(std::vector<OptionSpec> own) {
  own.push_back({{"--output", "-o"}, "FORMAT", "json (default), jsonc, table, tsv, yaml or none"});
  own.push_back({{"--query"}, "PATH", "print this part alone: id, [0].id, [].name"});
  own.push_back({{"--path"}, "DIR", "ignored"});
  own.push_back({{"--verbose", "-v", "--debug", "--only-show-errors"}, "", "ignored"});
  return own;
}

void SayIgnored(Session& session, const Options& options, const std::vector<std::string>& names) {
  std::vector<std::string> given;
  for (const std::string& name : names) {
    if (options.Has(name)) given.push_back(name);
  }
  if (options.Has("--path")) given.emplace_back("--path");
  if (given.empty()) return;
  std::string text = given[0];
  for (std::size_t i = 1; i < given.size(); ++i) {
    text += (i + 1 < given.size() ? ", " : " and ") + given[i];
  }
  session.Say(text + (given.size() > 1 ? " mean nothing to mlprof and are ignored"
                                       : " means nothing to mlprof and is ignored"));
}

Status CheckAzureOptions(const Options& options) {
  if (options.Has("--resource-group") && !options.Has("--workspace")) {
    return Fail(InvalidArgument("--resource-group needs --workspace-name"));
  }
  return CheckQuery(options);
}

// Commands of Azure's that a script written for it may hold, and what to do in their place.

namespace {

constexpr const char* kWorkspaceInstead =
    "a workspace is there as soon as it is used: give -g GROUP -w WORKSPACE with each command, or "
    "set "
    "MLPROF_WORKSPACE=SUBSCRIPTION/GROUP/WORKSPACE";
constexpr const char* kNoDeployment =
    "mlprof deploys nothing: it finds the CPU and memory to deploy with (mlprof ml model profile)";
constexpr const char* kNoRuns =
    "mlprof keeps no experiments, runs or compute targets: it profiles models";

std::vector<ForeignCommand> OfMachineLearning() {
  std::vector<ForeignCommand> commands = {
      {"ml folder", std::string("there is nothing to attach: ") + kWorkspaceInstead},
      {"ml workspace", kWorkspaceInstead},
      {"ml dataset", "register request bodies with: mlprof dataset register -n NAME -f FILE"},
      {"ml data", "register request bodies with: mlprof dataset register -n NAME -f FILE"},
      {"ml datastore", "mlprof keeps its own files: register models and datasets with it directly"},
      {"ml environment",
       "mlprof keeps no environments: write one out in the inference config, or give --conda-file"},
      {"ml model create", "Azure CLI v2 is not spoken here; use: mlprof ml model register"},
  };
  for (const char* path :
       {"ml service", "ml endpoint", "ml online-endpoint", "ml online-deployment",
        "ml batch-endpoint", "ml model deploy", "ml model package"}) {
    commands.push_back({path, kNoDeployment});
  }
  for (const char* path :
       {"ml run", "ml job", "ml experiment", "ml pipeline", "ml computetarget", "ml compute"}) {
    commands.push_back({path, kNoRuns});
  }
  return commands;
}

std::vector<ForeignCommand> MakeForeignCommands() {
  std::vector<ForeignCommand> commands = OfMachineLearning();
  commands.insert(
      commands.end(),
      {{"login",
        "there is nothing to log in to: mlprof talks to your own server (MLPROF_SERVER, and "
        "MLPROF_TOKEN where it asks for one)"},
       {"logout", "there is nothing to log out of: mlprof keeps no Azure account"},
       {"account",
        "mlprof has no Azure accounts: a subscription is a part of a workspace's name "
        "(--subscription-id, AZURE_SUBSCRIPTION_ID)"},
       {"configure",
        "defaults come from the environment: set "
        "MLPROF_WORKSPACE=SUBSCRIPTION/GROUP/WORKSPACE"},
       {"config",
        "defaults come from the environment: set "
        "MLPROF_WORKSPACE=SUBSCRIPTION/GROUP/WORKSPACE"},
       {"extension", "there is nothing to add: 'ml model' is a part of mlprof"},
       {"group",
        "a resource group is only a part of a workspace's name (-g): there is nothing to "
        "create or list"},
       {"upgrade", "mlprof is updated as it was installed"}});
  for (const char* path : {"acr",     "ad",          "aks",          "appservice", "batch",
                           "cloud",   "container",   "containerapp", "deployment", "eventhubs",
                           "find",    "functionapp", "identity",     "keyvault",   "monitor",
                           "network", "policy",      "provider",     "resource",   "rest",
                           "role",    "sql",         "storage",      "vm",         "webapp"}) {
    commands.push_back({path, "mlprof manages no Azure resources, so it has no 'az " +
                                  std::string(path) + "'; it speaks 'ml model' alone"});
  }
  return commands;
}

}  // namespace

const std::vector<ForeignCommand>& ForeignCommands() {
  static const std::vector<ForeignCommand> all = MakeForeignCommands();
  return all;
}

}  // namespace mlprof::client::cli
