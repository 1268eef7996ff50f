// `mlprof ml model profile …`: profiles models and prints the profile as the server says it for
// `az`.

#include "client/cli/artifacts.h"
#include "client/cli/azure/az_output.h"
#include "client/cli/commands/ml/inference_options.h"
#include "client/cli/commands/ml/ml_commands.h"
#include "client/cli/commands/ml/model_facts.h"
#include "client/cli/commands/ml/profile_tags.h"
#include "client/cli/commands/profile_commands.h"
#include "client/cli/commands/profile_options.h"
#include "client/cli/text_file.h"
#include "client/cli/watch/watch.h"
#include "common/json/json.h"

namespace mlprof::client::cli {
namespace {

Status CheckProfileUse(const Options& options) {
  MLPROF_TRY(CheckAzureOptions(options));
  if (!options.Has("--name")) return WrongUse("--name is needed (a new one for each profile)");
  if (!options.Has("--model") && !options.Has("--model-metadata-file")) {
    return WrongUse("--model is needed (see mlprof ml model profile --help)");
  }
  if (options.Has("--model-id"))
    return WrongUse("--model-id is for --add-tag alone; name models with --model");
  if (!options.Has("--input-dataset-id")) return WrongUse("--input-dataset-id is needed");
  return CheckProfileTags(options);
}

Result<ProfileRequest> RequestOf(const Options& options) {
  ProfileRequest request;
  request.name = options.Text("--name");
  request.description = options.Text("--description");
  MLPROF_TRY(ReadCeiling(options, "--cpu-cores", "--memory-in-gb", request.ceiling));
  return request;
}

Result<std::vector<std::string>> ModelsOf(const Options& options) {
  std::vector<std::string> models = options.All("--model");
  for (const std::string& file : options.All("--model-metadata-file")) {
    MLPROF_LET(id, ReadModelMetadata(file));
    models.push_back(std::move(id));
  }
  return models;
}

// A savedDatasetId of Azure's: the server alone knows which dataset that is.
bool IsGuid(const std::string& text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = std::string_view("0123456789abcdefABCDEF").find(text[i]) != std::string::npos;
    if (dash ? text[i] != '-' : !hex) return false;
  }
  return true;
}

Status Resolve(Session& session, Client& client, const Options& options,
               const std::vector<std::string>& models, ProfileRequest& request) {
  for (const std::string& value : models) {
    MLPROF_LET(id, ResolveModel(session, client, value, Precedence::kRegistered));
    request.model_ids.push_back(std::move(id));
  }
  request.input_dataset_id = options.Text("--input-dataset-id");
  if (IsGuid(request.input_dataset_id)) return {};
  MLPROF_LET(dataset, ResolveDataset(session, client, request.input_dataset_id,
                                     Precedence::kRegistered, CsvHeader::kUnsaid));
  request.input_dataset_id = std::move(dataset);
  return {};
}

// Its logs are a path on the server; a private one is gone when anybody could look.
void PlaceLogs(const Session& session, Json& document) {
  const auto logs = document.find("errorLogsUri");
  if (logs == document.end() || !logs->is_string()) return;
  if (session.uses_private_server()) {
    *logs = nullptr;
    return;
  }
  std::string base = session.server().url;
  while (base.ends_with('/')) base.pop_back();
  *logs = base + logs->get<std::string>();
}

Result<Json> AzureDocument(const Session& session, Client& client, const Profile& profile) {
  MLPROF_LET(text, client.profiles().AzureDocument(profile.id));
  MLPROF_LET(document, ParseJson(text));
  if (!document.is_object()) return Fail(Internal("the server's Azure profile is no object"));
  PlaceLogs(session, document);
  return std::move(document);
}

Result<int> Report(Session& session, Client& client, const Options& options,
                   const Profile& profile) {
  SayFindings(session, profile);  // Azure's shape has no place for them
  MLPROF_LET(json, AzureDocument(session, client, profile));
  MLPROF_TRY(AddProfileTags(session, client, options, profile, json));
  if (options.Has("--output-metadata-file")) {
    MLPROF_TRY(WriteTextFile(options.Text("--output-metadata-file"), DumpJsonIndented(json) + "\n",
                             false));
  }
  MLPROF_TRY(PrintAzure(session, options, json));
  return ExitStatusOf(profile);
}

Result<int> ProfileModels(Session& session, const Options& options) {
  // Microsoft's page has `az ml model profile --i MODEL --add-tag …` where it means `update`.
  if (options.Has("--model-id") && !options.Has("--model") && !options.Has("--input-dataset-id")) {
    return UpdateMlModel(session, options);
  }
  MLPROF_TRY(CheckProfileUse(options));
  MLPROF_LET(request, RequestOf(options));
  MLPROF_LET(models, ModelsOf(options));
  MLPROF_LET(inference, InferenceOf(session, options));
  MLPROF_LET(client, session.Connect());
  MLPROF_TRY(Resolve(session, client, options, models, request));
  if (inference) {
    MLPROF_LET(config, UploadSource(session, client, std::move(*inference)));
    request.inference_config = std::move(config);
  }
  MLPROF_LET(created, client.profiles().Create(request));
  MLPROF_LET(watched, WatchHere(session, client, created.value.id));
  if (watched.detached) {
    session.Say("left profile " + request.name + " running; see it with: mlprof profile show " +
                request.name);
    return kRefused;
  }
  return Report(session, client, options, watched.profile.value);
}

}  // namespace

Command ProfileMlModelCommand() {
  std::vector<OptionSpec> options = {
      {{"--name", "-n"}, "NAME", "the profile's name, a new one (required)"},
      {{"--model", "-m"}, "ID", "the model (required)", true},
      {{"--model-metadata-file", "-f"}, "FILE", "the model, as register -t wrote it", true},
      {{"--input-dataset-id", "--idi"}, "ID", "the request bodies (required)"},
      {{"--cpu-cores", "--cc"}, "CORES", "the most CPU the answer may have"},
      {{"--memory-in-gb", "--gb"}, "GIB", "the most memory the answer may have"},
      {{"--description"}, "TEXT", "what it is for"},
      {{"--add-tag"}, "K[=V]", "tag the models; K alone takes a figure: requestedCpu", true},
      {{"--model-id", "-i", "--i"}, "ID", "with --add-tag alone: tag this model, profile nothing"},
      {{"--output-metadata-file", "-t"}, "FILE", "write what is printed there as well"},
  };
  const std::vector<OptionSpec> inference = InferenceOptions();
  options.insert(options.end(), inference.begin(), inference.end());
  return {"ml model profile",
          "",
          "profile models, as az ml model profile",
          0,
          0,
          WithAzureOptions(std::move(options)),
          {"mlprof ml model profile -g GROUP -w WORKSPACE --ic inferenceConfig.json "
           "-m sentiment:1 --idi requests -n p1",
           "mlprof ml model profile -n p2 -m sentiment:1 --idi requests --es score.py "
           "--cf env.yml --add-tag requestedCpu --add-tag requestedMemoryInGb",
           "mlprof ml model profile -n p3 -m sentiment:1 --idi requests "
           "--query recommendedCpu -o tsv"},
          ProfileModels};
}

}  // namespace mlprof::client::cli
