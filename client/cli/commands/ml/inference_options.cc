#include "client/cli/commands/ml/inference_options.h"

#include <algorithm>

#include "client/cli/azure/azure_inference.h"
#include "client/cli/azure/azure_source.h"
#include "client/cli/command.h"
#include "client/cli/commands/ml/ml_commands.h"
#include "client/cli/text_file.h"
#include "common/json/json.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

using Inference = std::optional<LocalInferenceConfig>;

constexpr const char* kEnvironmentFile = "azureml_environment.json";
constexpr const char* kCondaFile = "conda_dependencies.yml";

bool HasParts(const Options& options) {
  const std::vector<std::string> parts = {"--entry-script",        "--source-directory",
                                          "--conda-file",          "--base-image",
                                          "--base-image-registry", "--environment-directory"};
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return options.Has(part); });
}

Result<Json> ReadObject(const fs::path& file) {
  MLPROF_LET(text, ReadTextFile(file));
  auto json = ParseJson(text);
  if (!json) return Fail(json.error().WithContext(file.string()));
  if (!json->is_object()) return WrongUse(file.string() + " is no JSON object");
  return json;
}

// A path on the command line means this folder's, even where the file lies in another.
std::string FromHere(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) ? fs::absolute(path, error).string() : path;
}

// A folder as Environment.save_to_directory writes it.
Status AddEnvironmentFolder(const Options& options, Json& config) {
  if (!options.Has("--environment-directory")) return {};
  const fs::path folder = options.Text("--environment-directory");
  MLPROF_LET(environment, ReadObject(folder / kEnvironmentFile));
  config["environment"] = std::move(environment);
  std::error_code error;
  if (fs::exists(folder / kCondaFile, error))
    config["condaFile"] = FromHere((folder / kCondaFile).string());
  return {};
}

void ApplyParts(const Options& options, AzureInference& azure) {
  if (options.Has("--source-directory")) {
    azure.source_directory = FromHere(options.Text("--source-directory"));
  }
  if (options.Has("--entry-script")) {
    // In a source directory it means that folder's.
    azure.entry_script = azure.source_directory.empty() ? FromHere(options.Text("--entry-script"))
                                                        : options.Text("--entry-script");
  }
  if (options.Has("--conda-file")) azure.conda_file = FromHere(options.Text("--conda-file"));
  if (options.Has("--base-image")) azure.base_image = options.Text("--base-image");
  azure.base_image = WithRegistry(azure.base_image, options.Text("--base-image-registry"));
}

}  // namespace

std::vector<OptionSpec> InferenceOptions() {
  return {
      {{"--inference-config-file", "--ic"}, "FILE", "how it is served (else as stored)"},
      {{"--entry-script", "--es"}, "FILE", "the script with init() and run()"},
      {{"--source-directory", "--sd"}, "DIR", "the folder to take along"},
      {{"--conda-file", "--cf"}, "FILE", "the packages to install"},
      {{"--base-image", "--bi"}, "IMAGE", "the image they are installed in"},
      {{"--base-image-registry", "--ir"}, "ADDRESS", "the image's registry"},
      {{"--environment-directory", "--ed"}, "DIR", "a saved environment"},
      {{"--environment-name", "-e"}, "NAME", "ignored: mlprof keeps no environments"},
      {{"--environment-version", "--ev"}, "VERSION", "ignored"},
  };
}

Result<Inference> InferenceOf(Session& session, const Options& options) {
  SayIgnored(session, options, {"--environment-name", "--environment-version"});
  const fs::path file = options.Text("--inference-config-file");
  if (file.empty() && !HasParts(options)) return Inference();
  Json config = Json::object();
  if (!file.empty()) {
    MLPROF_LET(read, ReadObject(file));
    config = std::move(read);
  }
  if (IsNativeInference(config)) {
    if (HasParts(options)) {
      return WrongUse(file.string() + " is mlprof's own inference config: write all of it there");
    }
    MLPROF_LET(native, ReadInferenceConfigFile(file));
    return Inference(std::move(native));
  }
  MLPROF_TRY(AddEnvironmentFolder(options, config));
  auto azure = ReadAzureInference(config);
  if (!azure) return Fail(file.empty() ? azure.error() : azure.error().WithContext(file.string()));
  ApplyParts(options, *azure);
  if (azure->entry_script.empty()) {
    return WrongUse(file.empty() ? "--entry-script is needed"
                                 : file.string() + " has no entryScript");
  }
  for (const std::string& note : azure->notes) session.Say(note);
  const fs::path here = ".";
  MLPROF_LET(local, LocalInferenceOf(*azure, {file.empty() ? here : file.parent_path(), here}));
  return Inference(std::move(local));
}

}  // namespace mlprof::client::cli
