#include "client/cli/artifacts.h"
#include "client/cli/command.h"
#include "client/cli/commands/delete_version.h"
#include "client/cli/download_model.h"
#include "client/cli/inference_config_file.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/weights_details.h"

namespace mlprof::client::cli {
namespace {

void PrintModel(Session& session, const Resource<Model>& model) {
  session.Print(JsonOfText(model.json), ModelTable({model}), ModelDetails(model.value));
}

Result<int> RegisterModel(Session& session, const Options& options) {
  if (!options.Has("--name")) return WrongUse("--name is needed");
  if (!options.Has("--path")) return WrongUse("--path is needed");
  MLPROF_LET(tags, options.Pairs("--tag"));
  MLPROF_LET(properties, options.Pairs("--property"));
  std::optional<LocalInferenceConfig> local;
  if (options.Has("--inference-config-file")) {
    MLPROF_LET(read, ReadInferenceConfigFile(options.Text("--inference-config-file")));
    local = std::move(read);
  }
  MLPROF_LET(client, session.Connect());
  ModelChanges changes;
  changes.add_properties = std::move(properties);
  if (local) {
    MLPROF_LET(config, UploadSource(session, client, std::move(*local)));
    changes.inference_config = std::move(config);
  }
  auto model =
      UploadModel(session, client, {options.Text("--name"), options.Text("--description"), tags},
                  options.Text("--path"));
  if (model && (!changes.add_properties.empty() || changes.inference_config)) {
    model = client.models().Update(model->value.id, changes);
  }
  if (!model) return Fail(model.error());
  PrintModel(session, *model);
  return kDone;
}

Result<int> ListModels(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(models, client.models().List({options.Text("--name"), options.Text("--tag")}));
  session.Print(ListJson(models), ModelTable(models));
  return kDone;
}

// What the newest profile with an answer measured.
std::optional<MeasuredMemory> Measured(Client& client, const std::string& model_id) {
  const auto profiles = client.profiles().List({"Succeeded", model_id});
  if (!profiles) return std::nullopt;
  for (const auto& [profile, json] : *profiles) {
    if (!profile.recommendation || !profile.measurements) continue;
    const auto& used = profile.measurements->max_utilized_memory;
    if (!used) continue;
    return MeasuredMemory{profile.request.name, *used, profile.recommendation->requested.memory()};
  }
  return std::nullopt;
}

Result<int> ShowWeights(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(weights, client.models().Weights(options.operands()[0]));
  std::string details = WeightsDetails(weights.value, Measured(client, options.operands()[0]));
  if (details.empty()) details = "no file of this model holds parameters in a known format\n";
  session.Print(JsonOfText(weights.json), WeightsTable(weights.value), details);
  return kDone;
}

// Machine formats have the model alone, as every other command's.
std::string WeightsBeside(Session& session, const std::string& model_id) {
  if (session.format() != OutputFormat::kTable) return "";
  auto client = session.ConnectAside();
  if (!client) return "";
  const auto weights = client->models().Weights(model_id);
  if (!weights) return "";
  const std::string details = WeightsDetails(weights->value, Measured(*client, model_id));
  return details.empty() ? "" : "\n" + details;
}

Result<int> ShowModel(Session& session, const Options& options) {
  if (options.Has("--weights")) return ShowWeights(session, options);
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(model, client.models().Get(options.operands()[0]));
  session.Print(JsonOfText(model.json), ModelTable({model}),
                ModelDetails(model.value) + WeightsBeside(session, model.value.id));
  return kDone;
}

Result<int> UpdateModel(Session& session, const Options& options) {
  ModelChanges changes;
  MLPROF_LET(tags, options.Pairs("--add-tag"));
  MLPROF_LET(properties, options.Pairs("--add-property"));
  changes.add_tags = std::move(tags);
  changes.add_properties = std::move(properties);
  changes.remove_tags = options.All("--remove-tag");
  if (options.Has("--description")) changes.description = options.Text("--description");
  if (changes.add_tags.empty() && changes.remove_tags.empty() && changes.add_properties.empty() &&
      !changes.description) {
    return WrongUse(
        "nothing to change: give --add-tag, --remove-tag, --add-property or "
        "--description");
  }
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(model, client.models().Update(options.operands()[0], changes));
  PrintModel(session, model);
  return kDone;
}

Result<int> DeleteModel(Session& session, const Options& options) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(id, ModelToDelete(session, client, options, options.operands()[0]));
  MLPROF_TRY(client.models().Delete(id));
  session.Say("deleted model " + id);
  return kDone;
}

Result<int> DownloadModelTo(Session& session, const Options& options) {
  const std::filesystem::path folder = options.Text("--target-dir");
  if (folder.empty()) return WrongUse("--target-dir is needed");
  MLPROF_LET(client, session.Connect());
  const std::string& id = options.operands()[0];
  MLPROF_TRY(DownloadModel(client, id, folder, options.Has("--overwrite")));
  session.Say("unpacked model " + id + " to " + folder.string());
  return kDone;
}

}  // namespace

std::vector<Command> ModelCommands() {
  const OptionSpec description = {{"--description", "-d"}, "TEXT", "what it is"};
  return {
      {"model register",
       "",
       "register a file or folder as the next version of a model",
       0,
       0,
       {{{"--name", "-n"}, "NAME", "its name"},
        {{"--path", "-p", "--model-path", "--asset-path"}, "PATH", "the file or folder"},
        {{"--tag"}, "K=V", "a tag", true},
        {{"--property"}, "K=V", "a property, which stays as it is", true},
        description,
        {{"--inference-config-file", "--ic"}, "FILE", "how it is served, kept with the model"}},
       {"mlprof model register -n sentiment -p ./model --tag team=nlp",
        "mlprof model register -n sentiment -p ./model --ic inferenceConfig.json"},
       RegisterModel},
      {"model list",
       "",
       "list models",
       0,
       0,
       {{{"--name", "-n"}, "NAME", "only this name's versions"},
        {{"--tag"}, "K[=V]", "only with this tag"}},
       {"mlprof model list -n sentiment", "mlprof model list --tag team=nlp -o tsv"},
       ListModels},
      {"model show",
       "ID",
       "show a model, and what its files say of its parameters",
       1,
       1,
       {{{"--weights"}, "", "the parameters alone, by file and type"}},
       {"mlprof model show sentiment", "mlprof model show sentiment:1 -o json",
        "mlprof model show sentiment:1 --weights -o json"},
       ShowModel},
      {"model update",
       "ID",
       "change a model's tags, properties or description",
       1,
       1,
       {{{"--add-tag"}, "K=V", "add or replace a tag", true},
        {{"--remove-tag"}, "K", "remove a tag", true},
        {{"--add-property"}, "K=V", "add a property", true},
        description},
       {"mlprof model update sentiment:1 --add-tag stage=prod --remove-tag draft"},
       UpdateModel},
      {"model delete",
       "ID",
       "delete a version of a model; of a bare name the newest",
       1,
       1,
       {YesOption()},
       {"mlprof model delete sentiment:1"},
       DeleteModel},
      {"model download",
       "ID",
       "unpack a model's files into a folder",
       1,
       1,
       {{{"--target-dir", "-t"}, "DIR", "the folder, made where needed"},
        {{"--overwrite"}, "", "replace files that are there"}},
       {"mlprof model download sentiment:1 -t ./downloaded"},
       DownloadModelTo},
  };
}

}  // namespace mlprof::client::cli
