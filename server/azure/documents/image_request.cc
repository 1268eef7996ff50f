#include "server/azure/documents/image_request.h"

#include <algorithm>

#include "common/json/field_checks.h"
#include "common/json/json_reader.h"
#include "common/text/ascii.h"
#include "server/azure/documents/driver_program.h"

namespace mlprof::server {
namespace {

constexpr const char* kRoot = "/environmentImageRequest";
constexpr const char* kEntryScript = "AZUREML_ENTRY_SCRIPT";
constexpr const char* kSourceDirectory = "AZUREML_SOURCE_DIRECTORY";
constexpr std::string_view kArtifactScheme = "aml://artifact/";
constexpr std::size_t kMostAssets = 100;
constexpr std::size_t kMostModels = 100;
constexpr std::size_t kMostPackages = 1000;

using Problems = std::vector<FieldError>;

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void ReadAssets(JsonReader& request, AzureImageRequest& image, Problems& problems) {
  const std::string driver = request.String("driverProgram").value_or("");
  std::vector<JsonReader> readers = request.Objects("assets");
  if (readers.size() > kMostAssets) {
    problems.push_back({request.PointerTo("assets"), "must have at most 100 members"});
    return;
  }
  for (JsonReader& reader : readers) {
    const std::string id = reader.String("id").value_or("");
    const std::string url = reader.String("url").value_or("");
    const bool unpack = reader.Boolean("unpack").value_or(false);
    if (!url.starts_with(kArtifactScheme)) {
      reader.Problem("url", "must be aml://artifact/…");
      continue;
    }
    const std::string artifact = url.substr(kArtifactScheme.size());
    if (!driver.empty() && id == driver) {
      image.driver_artifact = artifact;
      continue;
    }
    const bool known = std::any_of(image.assets.begin(), image.assets.end(),
                                   [&](const auto& asset) { return asset.artifact == artifact; });
    if (known) {
      reader.Problem("url", "must not be named twice");
      continue;
    }
    image.assets.push_back({LastPart(artifact), artifact, unpack});
  }
}

// Clients add where packages are to be looked for; the server's own pip settings say that here.
bool IsPipOption(const Json& entry) {
  return entry.is_string() && entry.get_ref<const std::string&>().starts_with('-');
}

bool CheckPackages(const Json& list, const std::string& pointer, Problems& problems) {
  const bool fits = list.is_array() && list.size() <= kMostPackages;
  if (!fits) problems.push_back({pointer, "must be a list of at most 1000 packages"});
  return fits;
}

void AddPackage(const Json& entry, std::string (*check)(const std::string&),
                const std::string& pointer, std::vector<std::string>& packages,
                Problems& problems) {
  std::string text(entry.is_string() ? Trim(entry.get_ref<const std::string&>()) : "");
  std::string problem = check(text);
  if (problem.empty()) return packages.push_back(std::move(text));
  problems.push_back({pointer, std::move(problem)});
}

// ["python=3.8", {"pip": ["numpy"]}]
void ReadDependencies(const Json& list, const std::string& pointer, EntryScriptConfig& script,
                      Problems& problems) {
  if (!CheckPackages(list, pointer, problems)) return;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = JoinPointer(pointer, i);
    if (!list[i].is_object() || list[i].size() != 1 || !list[i].contains("pip")) {
      AddPackage(list[i], CheckCondaPackage, place, script.conda_packages, problems);
      continue;
    }
    const Json& pip = list[i]["pip"];
    if (!CheckPackages(pip, place + "/pip", problems)) continue;
    for (std::size_t j = 0; j < pip.size(); ++j) {
      if (IsPipOption(pip[j])) continue;
      AddPackage(pip[j], CheckPipPackage, JoinPointer(place + "/pip", j), script.pip_packages,
                 problems);
    }
  }
}

void ReadPython(JsonReader& python, EntryScriptConfig& script, Problems& problems) {
  if (python.Boolean("userManagedDependencies").value_or(false)) return;
  auto conda = python.Object("condaDependencies");
  if (!conda) {
    if (python.String("condaDependenciesFile")) {
      python.Problem("condaDependenciesFile", "is a file of your machine; give its content");
    }
    return;
  }
  const Json* dependencies = conda->Find("dependencies");
  if (dependencies == nullptr) return;
  ReadDependencies(*dependencies, conda->PointerTo("dependencies"), script, problems);
}

void ReadDocker(JsonReader& docker, EntryScriptConfig& script) {
  const std::string image = docker.String("baseImage").value_or("");
  if (std::string problem = image.empty() ? "" : CheckImageReference(image); !problem.empty()) {
    docker.Problem("baseImage", std::move(problem));
  }
  script.base_image = image;
  if (docker.String("baseDockerfile")) {
    docker.Problem("baseDockerfile", "is not built by mlprof; build it and name it as baseImage");
  }
}

// False for what cannot be a script's path.
bool NameScript(std::string entry, std::string folder, EntryScriptConfig& script) {
  while (folder.ends_with('/')) folder.pop_back();
  // The folder's own name is the root of what is unpacked.
  if (!folder.empty() && entry.starts_with(folder + "/")) {
    entry.erase(0, folder.size() + 1);
  } else {
    folder.clear();
  }
  const bool good = CheckFileInside(entry).empty() && CheckFolderInside(folder).empty();
  script.entry_script = std::move(entry);
  script.source_directory = std::move(folder);
  return good;
}

void ReadVariables(JsonReader& environment, AzureImageRequest& image, EntryScriptConfig& script,
                   Problems& problems) {
  auto variables =
      environment.StringMap("environmentVariables").value_or(std::map<std::string, std::string>());
  const auto take = [&](const char* name) {
    const auto found = variables.extract(name);
    return found.empty() ? std::string() : found.mapped();
  };
  const std::string entry = take(kEntryScript);
  if (!NameScript(entry, take(kSourceDirectory), script)) {
    environment.Problem("environmentVariables",
                        std::string(kEntryScript) + " must be the relative path of a file");
  }
  for (const auto& [name, value] : variables) {
    std::string problem = CheckEnvironmentName(name);
    if (problem.empty()) problem = CheckEnvironmentValue(value);
    if (problem.empty()) continue;
    const std::string pointer = environment.PointerTo("environmentVariables");
    problems.push_back({JoinPointer(pointer, name), std::move(problem)});
  }
  image.config.environment_variables = std::move(variables);
}

void ReadEnvironment(JsonReader& environment, AzureImageRequest& image, Problems& problems) {
  EntryScriptConfig script;
  script.environment_name = environment.String("name").value_or("");
  if (std::string problem = CheckTagValue(script.environment_name); !problem.empty()) {
    environment.Problem("name", std::move(problem));
  }
  ReadVariables(environment, image, script, problems);
  if (auto docker = environment.Object("docker")) ReadDocker(*docker, script);
  if (auto python = environment.Object("python")) ReadPython(*python, script, problems);
  image.config.service = std::move(script);
}

// A single script is put where the environment says it is.
void PlaceScript(AzureImageRequest& image) {
  const auto& script = std::get<EntryScriptConfig>(image.config.service);
  if (image.assets.size() != 1 || image.assets.front().unpack) return;
  image.assets.front().name = script.source_directory.empty()
                                  ? script.entry_script
                                  : script.source_directory + "/" + script.entry_script;
}

}  // namespace

Result<AzureImageRequest> DecodeImageRequest(const Json& json) {
  Problems problems;
  AzureImageRequest image;
  JsonReader request(json, kRoot, JsonReader::Mode::kResource, problems);
  Assign(image.model_ids, request.Strings("modelIds"));
  if (image.model_ids.size() > kMostModels) {
    request.Problem("modelIds", "must have at most 100 members");
    image.model_ids.clear();
  }
  for (const std::string& id : image.model_ids) {
    if (std::string problem = CheckId(id); !problem.empty()) {
      request.Problem("modelIds", std::move(problem));
    }
  }
  ReadAssets(request, image, problems);
  if (auto environment = request.Object("environment")) {
    ReadEnvironment(*environment, image, problems);
  } else if (!image.driver_artifact.empty()) {
    image.has_environment = false;
  } else {
    request.Problem("environment", "is required: give the InferenceConfig an Environment");
  }
  if (image.assets.empty()) request.Problem("assets", "must hold the entry script");
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  if (image.has_environment) PlaceScript(image);
  return image;
}

Status CompleteFromDriver(std::string_view driver, AzureImageRequest& image) {
  const auto program = ReadDriver(driver);
  EntryScriptConfig script;
  if (!program || !NameScript(program->entry_script, program->source_directory, script)) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the request says no entry script",
                      {{std::string(kRoot) + "/environment",
                        "is required: give the InferenceConfig an Environment"}}));
  }
  image.config.service = std::move(script);
  PlaceScript(image);
  return {};
}

}  // namespace mlprof::server
