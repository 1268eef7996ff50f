#include "client/cli/azure/azure_inference.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/json/field_checks.h"
#include "common/json/json_reader.h"

namespace mlprof::client::cli {
namespace {

constexpr std::array<std::string_view, 11> kAzureKeys = {
    "entryScript", "sourceDirectory",   "environment",         "runtime",
    "condaFile",   "description",       "enableGpu",           "cudaVersion",
    "baseImage",   "baseImageRegistry", "extraDockerfileSteps"};

const Json* Member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// Both are written either as an address or as an object with one.
std::string RegistryAddress(JsonReader& reader, const char* key) {
  const Json* value = reader.Find(key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  const Json* address = Member(*value, "address");
  return address != nullptr && address->is_string() ? address->get<std::string>() : "";
}

// {"dependencies": ["python=3.8", {"pip": ["numpy"]}]}
void ReadConda(JsonReader& conda, AzureInference& out) {
  const Json* dependencies = conda.Find("dependencies");
  if (dependencies == nullptr) return;
  if (!dependencies->is_array()) return conda.Problem("dependencies", "must be a list");
  for (const Json& entry : *dependencies) {
    if (entry.is_string()) {
      const auto& name = entry.get_ref<const std::string&>();
      if (std::string problem = CheckCondaPackage(name); !problem.empty()) {
        return conda.Problem("dependencies", std::move(problem));
      }
      out.conda_packages.push_back(name);
      continue;
    }
    const Json* pip = Member(entry, "pip");
    if (pip == nullptr || !pip->is_array() ||
        !std::all_of(pip->begin(), pip->end(), [](const Json& p) { return p.is_string(); })) {
      return conda.Problem("dependencies", "must hold names, and one list of names under pip");
    }
    for (const Json& package : *pip) out.pip_packages.push_back(package.get<std::string>());
  }
}

void ReadPython(JsonReader& python, AzureInference& out) {
  // Then the base image has all that is needed, and Azure installs nothing either.
  if (python.Boolean("userManagedDependencies").value_or(false)) return;
  Assign(out.conda_file, python.String("condaDependenciesFile"));
  if (auto conda = python.Object("condaDependencies")) ReadConda(*conda, out);
  if (python.String("baseCondaEnvironment")) {
    out.notes.emplace_back("baseCondaEnvironment is left out: packages are installed with pip");
  }
}

void ReadDocker(JsonReader& docker, AzureInference& out) {
  const std::string image = docker.String("baseImage").value_or("");
  out.base_image = WithRegistry(image, RegistryAddress(docker, "baseImageRegistry"));
  if (!docker.String("baseDockerfile").value_or("").empty()) {
    out.notes.emplace_back("baseDockerfile is left out: build that image and name it as baseImage");
  }
}

void ReadEnvironment(JsonReader& environment, AzureInference& out) {
  Assign(out.environment_name, environment.String("name"));
  Assign(out.environment_variables, environment.StringMap("environmentVariables"));
  const bool is_reference = !environment.Has("python") && !environment.Has("docker");
  if (is_reference && environment.Has("name")) {
    out.notes.push_back("environment " + out.environment_name +
                        " is only named: mlprof keeps no environments, so nothing is installed "
                        "for it; write it out, or give --conda-file");
  }
  if (auto docker = environment.Object("docker")) ReadDocker(*docker, out);
  if (auto python = environment.Object("python")) ReadPython(*python, out);
}

}  // namespace

std::string WithRegistry(const std::string& image, const std::string& address) {
  if (image.empty() || address.empty() || image.starts_with(address + "/")) return image;
  return address + "/" + image;
}

bool IsNativeInference(const Json& config) {
  if (!config.is_object()) return false;
  for (const auto& [key, value] : config.items()) {
    if (std::find(kAzureKeys.begin(), kAzureKeys.end(), key) == kAzureKeys.end()) return true;
  }
  const Json* environment = Member(config, "environment");
  const Json* python = environment == nullptr ? nullptr : Member(*environment, "python");
  return python != nullptr && (Member(*python, "pipPackages") != nullptr ||
                               Member(*python, "condaPackages") != nullptr ||
                               Member(*python, "requirementsFile") != nullptr);
}

Result<AzureInference> ReadAzureInference(const Json& config) {
  std::vector<FieldError> problems;
  // Azure writes much into an environment that means nothing here, and null for what is not set.
  JsonReader reader(config, "", JsonReader::Mode::kResource, problems);
  AzureInference out;
  Assign(out.entry_script, reader.String("entryScript"));
  Assign(out.source_directory, reader.String("sourceDirectory"));
  if (auto environment = reader.Object("environment")) ReadEnvironment(*environment, out);
  Assign(out.conda_file, reader.String("condaFile"));
  const std::string image = reader.String("baseImage").value_or("");
  const std::string registry = RegistryAddress(reader, "baseImageRegistry");
  if (!image.empty()) out.base_image = WithRegistry(image, registry);
  if (reader.String("extraDockerfileSteps")) {
    out.notes.emplace_back(
        "extraDockerfileSteps is left out: build an image with them and name it as baseImage");
  }
  if (reader.Boolean("enableGpu").value_or(false)) {
    out.notes.emplace_back("enableGpu is left out: the profile measures CPU and memory");
  }
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return out;
}

}  // namespace mlprof::client::cli
