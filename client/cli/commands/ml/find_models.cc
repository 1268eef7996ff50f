// `mlprof ml model list` and `mlprof ml model show`.
#include <algorithm>

#include "client/cli/azure/az_output.h"
#include "client/cli/commands/ml/ml_commands.h"

namespace mlprof::client::cli {
namespace {

// "key" or "key=value", as --tag and --property have it.
bool Matches(const std::map<std::string, std::string>& pairs, const std::string& filter) {
  const std::size_t equals = filter.find('=');
  const auto found = pairs.find(filter.substr(0, equals));
  if (found == pairs.end()) return false;
  return equals == std::string::npos || found->second == filter.substr(equals + 1);
}

bool MatchesAll(const std::map<std::string, std::string>& pairs,
                const std::vector<std::string>& filters) {
  return std::all_of(filters.begin(), filters.end(),
                     [&](const std::string& filter) { return Matches(pairs, filter); });
}

std::string Fact(const Model& model, const std::string& name) {
  const auto found = model.properties.find(kAzurePropertyPrefix + name);
  return found == model.properties.end() ? "" : found->second;
}

// From the run and the dataset that were asked for, where any were. Datasets are kept as JSON.
bool ComesFrom(const Model& model, const Options& options) {
  if (options.Has("--run-id") && Fact(model, "runId") != options.Text("--run-id")) return false;
  return !options.Has("--dataset-id") ||
         Fact(model, "datasets").find("\"" + options.Text("--dataset-id") + "\"") !=
             std::string::npos;
}

void KeepNewest(ResourceList<Model>& models) {
  std::map<std::string, int> newest;
  for (const auto& [model, json] : models) {
    newest[model.name] = std::max(newest[model.name], model.version);
  }
  std::erase_if(models, [&](const Resource<Model>& model) {
    return model.value.version < newest[model.value.name];
  });
}

Result<int> ListMlModels(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  SayIgnored(session, options, {});
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(models, client.models().List({options.Text("--model-name"), options.Text("--tag")}));
  std::erase_if(models, [&](const Resource<Model>& model) {
    return !MatchesAll(model.value.tags, options.All("--tag")) ||
           !MatchesAll(model.value.properties, options.All("--property")) ||
           !ComesFrom(model.value, options);
  });
  if (options.Has("--latest")) KeepNewest(models);
  Json list = Json::array();
  for (const auto& [model, json] : models) list.push_back(AzureModelJson(model));
  MLPROF_TRY(PrintAzure(session, options, list));
  return kDone;
}

Result<int> ShowMlModel(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  std::string id = options.Text("--model-id");
  if (id.empty()) id = options.Text("--model-name");
  if (id.empty()) return WrongUse("--model-id or --model-name is needed");
  MLPROF_LET(version, options.Integer("--version", 1));
  if (version && !options.Has("--model-id")) id += ":" + std::to_string(*version);
  SayIgnored(session, options, {"--run-id"});
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(model, client.models().Get(id));
  MLPROF_TRY(PrintAzure(session, options, AzureModelJson(model.value)));
  return kDone;
}

}  // namespace

Command ListMlModelsCommand() {
  return {"ml model list",
          "",
          "list models, as az ml model list",
          0,
          0,
          WithAzureOptions({{{"--model-name", "-n"}, "NAME", "only this name's versions"},
                            {{"--latest", "-l"}, "", "only the newest version of each"},
                            {{"--tag"}, "K[=V]", "only with this tag", true},
                            {{"--property"}, "K[=V]", "only with this property", true},
                            {{"--run-id"}, "ID", "only of this run"},
                            {{"--dataset-id"}, "ID", "only with this dataset"}}),
          {"mlprof ml model list -g GROUP -w WORKSPACE -n sentiment --latest",
           "mlprof ml model list --query '[].id' -o tsv"},
          ListMlModels};
}

Command ShowMlModelCommand() {
  return {"ml model show",
          "",
          "show a model, as az ml model show",
          0,
          0,
          WithAzureOptions({{{"--model-id", "-i"}, "ID", "NAME:VERSION"},
                            {{"--model-name", "-n"}, "NAME", "its newest version"},
                            {{"--version"}, "N", "of --model-name"},
                            {{"--run-id"}, "ID", "ignored"}}),
          {"mlprof ml model show -g GROUP -w WORKSPACE -i sentiment:1",
           "mlprof ml model show -n sentiment --query tags.requestedCpu -o tsv"},
          ShowMlModel};
}

}  // namespace mlprof::client::cli
