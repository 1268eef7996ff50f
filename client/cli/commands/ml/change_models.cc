// `mlprof ml model update`, `delete` and `download`.
#include "client/cli/azure/az_output.h"
#include "client/cli/commands/delete_version.h"
#include "client/cli/commands/ml/ml_commands.h"
#include "client/cli/commands/ml/model_facts.h"
#include "client/cli/download_model.h"

namespace mlprof::client::cli {
namespace {

constexpr const char* kIdNeeded = "--model-id is needed";
const OptionSpec kModelId = {{"--model-id", "-i", "--i"}, "ID", "NAME:VERSION (required)"};

Result<ModelChanges> ChangesOf(const Options& options) {
  ModelChanges changes;
  MLPROF_LET(tags, options.Pairs("--add-tag"));
  MLPROF_LET(properties, options.Pairs("--add-property"));
  MLPROF_LET(facts, ModelFacts(options));
  changes.add_tags = std::move(tags);
  changes.add_properties = std::move(properties);
  changes.add_properties.merge(facts);
  changes.remove_tags = options.All("--remove-tag");
  if (options.Has("--description")) changes.description = options.Text("--description");
  return changes;
}

Result<int> DeleteMlModel(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  if (!options.Has("--model-id")) return WrongUse(kIdNeeded);
  SayIgnored(session, options, {});
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(id, ModelToDelete(session, client, options, options.Text("--model-id")));
  MLPROF_TRY(client.models().Delete(id));
  session.Say("deleted model " + id);
  return kDone;
}

Result<int> DownloadMlModel(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  if (!options.Has("--model-id")) return WrongUse(kIdNeeded);
  if (!options.Has("--target-dir")) return WrongUse("--target-dir is needed");
  SayIgnored(session, options, {});
  MLPROF_LET(client, session.Connect());
  const std::string folder = options.Text("--target-dir");
  MLPROF_TRY(DownloadModel(client, options.Text("--model-id"), folder, options.Has("--overwrite")));
  session.Say("unpacked model " + options.Text("--model-id") + " to " + folder);
  return kDone;
}

}  // namespace

Result<int> UpdateMlModel(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  if (!options.Has("--model-id")) return WrongUse(kIdNeeded);
  MLPROF_LET(changes, ChangesOf(options));
  if (changes.add_tags.empty() && changes.remove_tags.empty() && changes.add_properties.empty() &&
      !changes.description) {
    return WrongUse(
        "nothing to change: give --add-tag, --remove-tag, --add-property or --description");
  }
  SayIgnored(session, options, {});
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(model, client.models().Update(options.Text("--model-id"), changes));
  MLPROF_TRY(PrintAzure(session, options, AzureModelJson(model.value)));
  return kDone;
}

Command UpdateMlModelCommand() {
  std::vector<OptionSpec> options = {
      kModelId,
      {{"--add-tag"}, "K=V", "add or replace a tag", true},
      {{"--remove-tag"}, "K", "remove a tag", true},
      {{"--add-property"}, "K=V", "add a property", true},
      {{"--description"}, "TEXT", "what it is"},
  };
  const std::vector<OptionSpec> facts = ModelFactOptions();
  options.insert(options.end(), facts.begin(), facts.end());
  return {"ml model update",
          "",
          "change a model's tags, as az ml model update",
          0,
          0,
          WithAzureOptions(std::move(options)),
          {"mlprof ml model update -g GROUP -w WORKSPACE -i sentiment:1 --add-tag stage=prod"},
          UpdateMlModel};
}

Command DeleteMlModelCommand() {
  return {"ml model delete",
          "",
          "delete a model, as az ml model delete",
          0,
          0,
          WithAzureOptions({kModelId, YesOption()}),
          {"mlprof ml model delete -g GROUP -w WORKSPACE -i sentiment:1"},
          DeleteMlModel};
}

Command DownloadMlModelCommand() {
  return {"ml model download",
          "",
          "unpack a model's files, as az ml model download",
          0,
          0,
          WithAzureOptions({kModelId,
                            {{"--target-dir", "-t"}, "DIR", "the folder (required)"},
                            {{"--overwrite"}, "", "replace files that are there"}}),
          {"mlprof ml model download -g GROUP -w WORKSPACE -i sentiment:1 -t ./downloaded"},
          DownloadMlModel};
}

}  // namespace mlprof::client::cli
