// `mlprof profile -m … --idi …`: registers what is given as a path, creates the profile, watches it
// and prints what came out.
#include "client/cli/artifacts.h"
#include "client/cli/command.h"
#include "client/cli/commands/comparison_commands.h"
#include "client/cli/commands/header_option.h"
#include "client/cli/commands/profile_commands.h"
#include "client/cli/commands/profile_options.h"
#include "client/cli/inference_config_file.h"
#include "client/cli/output/profile_details.h"
#include "client/cli/output/tables.h"

namespace mlprof::client::cli {
namespace {

Status CheckCreateUse(Session& session, const Options& options) {
  MLPROF_TRY(CheckVariantUse(options));
  if (!options.Has("--model")) return WrongUse("--model is needed (see mlprof profile --help)");
  if (!options.Has("--input-dataset-id")) return WrongUse("--input-dataset-id is needed");
  MLPROF_TRY(CheckWaiting(session, options));
  if (options.Has("--no-wait") && options.Has("--tag-model")) {
    return WrongUse("--tag-model cannot be had with --no-wait");
  }
  return {};
}

// Path-like values are checked before a server is started for them.
Status CheckPaths(const Options& options, const Arrivals& arrivals) {
  std::vector<std::string> values = options.All("--model");
  if (!arrivals.trace.empty()) values.push_back(arrivals.trace);
  values.push_back(options.Text("--input-dataset-id"));
  for (const std::string& value : values) {
    std::error_code error;
    if (LooksLikePath(value) && !std::filesystem::exists(value, error)) {
      return WrongUse("there is no file or folder " + value);
    }
  }
  const std::string rows = options.Text("--input-dataset-id");
  std::error_code error;
  if (std::filesystem::is_directory(rows, error)) {
    return WrongUse(rows + " is a folder here, and a dataset is one file" +
                    (LooksLikePath(rows) ? "" : "; a registered one is also NAME:VERSION"));
  }
  const auto header = HeaderOf(options, rows);
  return header ? Status() : Fail(header.error());
}

Result<ProfileRequest> BuildRequest(Session& session, Client& client, const Options& options,
                                    ProfileRequest request,
                                    std::optional<LocalInferenceConfig> local) {
  for (const std::string& value : options.All("--model")) {
    MLPROF_LET(id, ResolveModel(session, client, value, Precedence::kFile));
    request.model_ids.push_back(std::move(id));
  }
  MLPROF_LET(header, HeaderOf(options, options.Text("--input-dataset-id")));
  MLPROF_LET(dataset, ResolveDataset(session, client, options.Text("--input-dataset-id"),
                                     Precedence::kFile, header));
  request.input_dataset_id = std::move(dataset);
  MLPROF_TRY(ResolveTrace(session, client, request.objective.arrivals));
  if (local) {
    MLPROF_LET(config, UploadSource(session, client, std::move(*local)));
    request.inference_config = std::move(config);
  }
  return request;
}

Result<int> CreateProfile(Session& session, const Options& options) {
  MLPROF_TRY(CheckCreateUse(session, options));
  MLPROF_LET(request, ProfileRequestOf(options));
  MLPROF_TRY(CheckPaths(options, request.objective.arrivals));
  std::optional<LocalInferenceConfig> local;
  if (options.Has("--inference-config-file")) {
    MLPROF_LET(read, ReadInferenceConfigFile(options.Text("--inference-config-file")));
    local = std::move(read);
  }
  std::optional<VariantsFile> variants;
  if (options.Has("--variants")) {
    MLPROF_LET(read, VariantsOf(options));
    variants = std::move(read);
  }
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(complete,
             BuildRequest(session, client, options, std::move(request), std::move(local)));
  if (variants) {
    return CreateComparison(session, client, options, std::move(*variants), std::move(complete));
  }
  MLPROF_LET(profile, client.profiles().Create(complete));
  return SeeThrough(session, client, options, profile);
}

}  // namespace

Command CreateProfileCommand() {
  return {"profile",
          "",
          "find and prove how much CPU and memory a model needs",
          0,
          0,
          ProfileOptions(),
          {"mlprof profile -m sentiment --idi requests --tag-model",
           "mlprof profile -m ./model --idi requests.jsonl --ic inferenceConfig.json",
           "mlprof profile -m sentiment:3 --idi requests --concurrency 4 --p95-ms 50 -o json",
           "mlprof profile -m sentiment --idi requests --no-wait",
           "mlprof profile -m sentiment --idi requests --variants variants.json"},
          CreateProfile};
}

}  // namespace mlprof::client::cli
