// `mlprof ml model register -n NAME -p PATH …`.
#include "client/cli/artifacts.h"
#include "client/cli/azure/az_output.h"
#include "client/cli/commands/ml/ml_commands.h"
#include "client/cli/commands/ml/model_facts.h"

namespace mlprof::client::cli {
namespace {

Status CheckPath(const Options& options, const std::string& path) {
  if (path.empty()) return WrongUse("--model-path is needed");
  std::error_code error;
  if (std::filesystem::exists(path, error)) return {};
  if (options.Has("--model-path")) return WrongUse("there is no file or folder " + path);
  return WrongUse("there is no file or folder " + path +
                  ", and mlprof keeps no experiment runs to take --asset-path from");
}

Result<int> RegisterMlModel(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  if (!options.Has("--name")) return WrongUse("--name is needed");
  const std::string path =
      options.Has("--model-path") ? options.Text("--model-path") : options.Text("--asset-path");
  MLPROF_TRY(CheckPath(options, path));
  MLPROF_LET(tags, options.Pairs("--tag"));
  MLPROF_LET(properties, options.Pairs("--property"));
  MLPROF_LET(facts, ModelFacts(options));
  properties.merge(facts);
  SayIgnored(session, options, {"--run-metadata-file"});
  MLPROF_LET(client, session.Connect());
  auto model = UploadModel(session, client,
                           {options.Text("--name"), options.Text("--description"), tags}, path);
  if (model && !properties.empty()) {
    ModelChanges changes;
    changes.add_properties = std::move(properties);
    model = client.models().Update(model->value.id, changes);
  }
  if (!model) return Fail(model.error());
  if (options.Has("--output-metadata-file")) {
    MLPROF_TRY(WriteModelMetadata(options.Text("--output-metadata-file"), model->value,
                                  session.workspace()));
  }
  MLPROF_TRY(PrintAzure(session, options, AzureModelJson(model->value)));
  return kDone;
}

}  // namespace

Command RegisterMlModelCommand() {
  std::vector<OptionSpec> options = {
      {{"--name", "-n"}, "NAME", "its name (required)"},
      {{"--model-path", "-p"}, "PATH", "the file or folder (required)"},
      {{"--asset-path"}, "PATH", "the same"},
      {{"--description", "-d"}, "TEXT", "what it is"},
      {{"--model-framework"}, "NAME", "what it was made with (Custom)"},
      {{"--model-framework-version"}, "VERSION", "of the framework"},
      {{"--tag"}, "K=V", "a tag", true},
      {{"--property"}, "K=V", "a property", true},
      {{"--output-metadata-file", "-t"}, "FILE", "write the model's id there"},
      {{"--experiment-name"}, "NAME", "where it comes from"},
      {{"--run-id", "-r"}, "ID", "the run it comes from"},
      {{"--run-metadata-file", "-f"}, "FILE", "ignored"},
  };
  const std::vector<OptionSpec> facts = ModelFactOptions();
  options.insert(options.end(), facts.begin(), facts.end());
  return {"ml model register",
          "",
          "register a model, as az ml model register",
          0,
          0,
          WithAzureOptions(std::move(options)),
          {"mlprof ml model register -g GROUP -w WORKSPACE -n sentiment -p ./model --tag team=nlp",
           "mlprof ml model register -n sentiment -p ./model -t model.json"},
          RegisterMlModel};
}

}  // namespace mlprof::client::cli
