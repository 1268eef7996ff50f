#include "client/cli/azure/azure_source.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

using Folders = std::vector<fs::path>;

// The first of `folders` that has `name`; empty where none has.
fs::path Find(const std::string& name, const Folders& folders) {
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name, error)) return folder / name;
  }
  return {};
}

Status Missing(const char* what, const std::string& name) {
  return Fail(InvalidArgument(std::string("there is no ") + what + " " + name));
}

Status PlaceScript(const AzureInference& azure, const Folders& folders, EntryScriptConfig& script,
                   LocalInferenceConfig& local) {
  std::error_code error;
  if (azure.source_directory.empty()) {
    local.source_folder = Find(azure.entry_script, folders);
    if (!fs::is_regular_file(local.source_folder, error)) {
      return Missing("entry script", azure.entry_script);
    }
    script.entry_script = local.source_folder.filename().string();
    return {};
  }
  local.source_folder = Find(azure.source_directory, folders);
  if (!fs::is_directory(local.source_folder, error)) {
    return Missing("source directory", azure.source_directory);
  }
  Folders inside = {local.source_folder};
  inside.insert(inside.end(), folders.begin(), folders.end());
  const fs::path file = Find(azure.entry_script, inside);
  if (!fs::is_regular_file(file, error)) return Missing("entry script", azure.entry_script);
  script.entry_script = PathInside(file, local.source_folder);
  if (script.entry_script.empty()) {
    return Fail(InvalidArgument("the entry script " + azure.entry_script +
                                " lies outside of the source directory " + azure.source_directory));
  }
  return {};
}

Status PlaceConda(const AzureInference& azure, const Folders& folders, EntryScriptConfig& script,
                  LocalInferenceConfig& local) {
  std::error_code error;
  const bool has_folder = fs::is_directory(local.source_folder, error);
  Folders places;
  if (has_folder) places.push_back(local.source_folder);
  places.insert(places.end(), folders.begin(), folders.end());
  const fs::path file = Find(azure.conda_file, places);
  if (!fs::is_regular_file(file, error)) return Missing("conda file", azure.conda_file);
  if (has_folder) script.conda_dependencies_file = PathInside(file, local.source_folder);
  if (!script.conda_dependencies_file.empty()) return {};
  script.conda_dependencies_file = file.filename().string();
  if (has_folder && fs::exists(local.source_folder / script.conda_dependencies_file, error)) {
    return Fail(InvalidArgument("the source directory has another file of the name " +
                                script.conda_dependencies_file));
  }
  local.extra.push_back({file, script.conda_dependencies_file});
  return {};
}

}  // namespace

Result<LocalInferenceConfig> LocalInferenceOf(const AzureInference& azure,
                                              const std::vector<fs::path>& folders) {
  LocalInferenceConfig local;
  EntryScriptConfig script;
  script.environment_name = azure.environment_name;
  script.base_image = azure.base_image;
  script.pip_packages = azure.pip_packages;
  MLPROF_TRY(PlaceScript(azure, folders, script, local));
  if (!azure.conda_file.empty()) {
    MLPROF_TRY(PlaceConda(azure, folders, script, local));
  } else {
    // What pip does not install goes along all the same: the server says what it leaves out, and
    // which Python it has.
    script.conda_packages = azure.conda_packages;
  }
  local.config.service = std::move(script);
  local.config.environment_variables = azure.environment_variables;
  return local;
}

}  // namespace mlprof::client::cli
