#include "client/cli/inference_config_file.h"

#include "client/cli/text_file.h"
#include "client/cli/upload_progress.h"
#include "client/include/mlprof/temporary_file.h"
#include "common/json/domain_json.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

Error Bad(const fs::path& file, const std::string& pointer, const std::string& detail) {
  return Error(ErrorCode::kInvalidArgument, file.string() + " is no usable inference config",
               {{pointer, detail}});
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Looks for a file the config names: in the source, else beside the config file. One from outside
// of the source comes into the tar under its own name.
Status Place(const fs::path& config_file, const std::string& pointer, std::string& name,
             LocalInferenceConfig& local) {
  if (name.empty() || IsFile(local.source_folder / name)) return {};
  const fs::path beside = config_file.parent_path() / name;
  if (!IsFile(beside)) {
    return Fail(Bad(config_file, pointer,
                    "there is no file " + name + " in " + local.source_folder.string()));
  }
  if (std::string inside = PathInside(beside, local.source_folder); !inside.empty()) {
    name = std::move(inside);
    return {};
  }
  std::string own_name = beside.filename().string();
  if (fs::exists(local.source_folder / own_name)) {
    return Fail(
        Bad(config_file, pointer, "the source folder has another file of the name " + own_name));
  }
  local.extra.push_back({beside, own_name});
  name = std::move(own_name);
  return {};
}

Status PlaceScript(const fs::path& file, const std::string& pointer, EntryScriptConfig& script,
                   LocalInferenceConfig& local) {
  if (!script.source_id.empty()) return {};
  local.source_folder = file.parent_path() / script.source_directory;
  if (local.source_folder.empty()) local.source_folder = ".";
  script.source_directory.clear();
  std::error_code error;
  if (!fs::is_directory(local.source_folder, error)) {
    return Fail(Bad(file, pointer + "/sourceDirectory",
                    "there is no folder " + local.source_folder.string()));
  }
  MLPROF_TRY(Place(file, pointer + "/entryScript", script.entry_script, local));
  MLPROF_TRY(Place(file, pointer + "/environment/python/condaDependenciesFile",
                   script.conda_dependencies_file, local));
  return Place(file, pointer + "/environment/python/requirementsFile", script.requirements_file,
               local);
}

}  // namespace

std::string PathInside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path relative =
      fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(folder, error));
  return relative.empty() || *relative.begin() == ".." ? "" : relative.string();
}

Result<LocalInferenceConfig> ReadInferenceConfigFile(const fs::path& file) {
  MLPROF_LET(text, ReadTextFile(file));
  const auto json = ParseJson(text);
  if (!json) return Fail(json.error().WithContext(file.string()));
  if (!json->is_object()) return Fail(Bad(file, "", "must be a JSON object"));
  auto config = DecodeInferenceConfig(*json, "", SourceRule::kLocalFile);
  if (!config) return Fail(config.error().WithContext(file.string()));
  return LocalConfigOf(file, std::move(*config), "");
}

Result<LocalInferenceConfig> LocalConfigOf(const fs::path& file, InferenceConfig config,
                                           const std::string& pointer) {
  LocalInferenceConfig local{std::move(config), {}, {}};
  if (auto* script = std::get_if<EntryScriptConfig>(&local.config.service)) {
    MLPROF_TRY(PlaceScript(file, pointer, *script, local));
  }
  return local;
}

Result<InferenceConfig> UploadSource(Session& session, Client& client, LocalInferenceConfig local) {
  if (local.source_folder.empty()) return std::move(local.config);
  MLPROF_LET(tar, TemporaryFile::Create());
  MLPROF_TRY(PackTar(local.source_folder, TarLayout::kContentAtRoot, tar.path(), local.extra));
  const std::string what = local.source_folder.string();
  auto id = client.sources().Upload(
      {tar.path(), "application/x-tar", UploadProgress(what, session.surroundings())});
  if (!id) return Fail(id.error().WithContext("source " + what));
  std::get<EntryScriptConfig>(local.config.service).source_id = std::move(*id);
  return std::move(local.config);
}

}  // namespace mlprof::client::cli
