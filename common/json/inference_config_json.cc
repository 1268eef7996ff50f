#include "common/json/inference_config_json.h"

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

constexpr IntegerRange kPort{1, 65535};
constexpr IntegerRange kSeconds{1, 86400};

void ReadPython(JsonReader& python, EntryScriptConfig& script) {
  Assign(script.pip_packages, python.Strings("pipPackages", CheckPipPackage));
  Assign(script.conda_packages, python.Strings("condaPackages", CheckCondaPackage));
  Assign(script.conda_dependencies_file, python.String("condaDependenciesFile", CheckFileInside));
  Assign(script.requirements_file, python.String("requirementsFile", CheckFileInside));
  python.RefuseUnknown();
}

void ReadEnvironment(JsonReader& environment, EntryScriptConfig& script, InferenceConfig& config) {
  Assign(script.environment_name, environment.String("name", CheckTagValue));
  if (auto docker = environment.Object("docker")) {
    Assign(script.base_image, docker->String("baseImage", CheckImageReference));
    docker->RefuseUnknown();
  }
  if (auto python = environment.Object("python")) ReadPython(*python, script);
  Assign(
      config.environment_variables,
      environment.StringMap("environmentVariables", CheckEnvironmentName, CheckEnvironmentValue));
  environment.RefuseUnknown();
}

void ReadScript(JsonReader& reader, SourceRule rule, InferenceConfig& config) {
  EntryScriptConfig script;
  Assign(script.entry_script, reader.String("entryScript", CheckFileInside));
  const bool upload = rule == SourceRule::kLocalFile;
  // A local file's folder may lie anywhere on the machine of the command line.
  Assign(script.source_directory,
         reader.String("sourceDirectory", upload ? CheckArgument : CheckFolderInside));
  if (!upload) reader.Require("sourceId");
  Assign(script.source_id, reader.String("sourceId", CheckSourceId));
  if (auto environment = reader.Object("environment")) {
    ReadEnvironment(*environment, script, config);
  }
  config.service = std::move(script);
}

std::optional<std::vector<std::string>> ReadWords(JsonReader& reader, std::string_view key) {
  auto words = reader.Strings(key, CheckArgument);
  // As in Kubernetes, an empty list replaces nothing.
  if (words && words->empty()) return std::nullopt;
  return words;
}

void ReadImage(JsonReader& reader, InferenceConfig& config) {
  ImageConfig image;
  const auto check = [](const std::string& text) {
    return text.empty() ? std::string() : CheckImageReference(text);
  };
  Assign(image.image, reader.String("image", check));
  image.command = ReadWords(reader, "command");
  if (image.image.empty() && !image.command) reader.Problem("image", "is required, or command");
  image.args = ReadWords(reader, "args");
  Assign(image.port, reader.Integer("port", kPort));
  Assign(image.scoring_path, reader.String("scoringPath", CheckUrlPath));
  Assign(image.method, reader.String("method", CheckHttpMethod));
  Assign(image.content_type, reader.String("contentType", CheckHeaderValue));
  config.service = std::move(image);
}

void ReadNetwork(JsonReader& reader, InferenceConfig& config) {
  const auto network = reader.String("network");
  if (!network) return;
  if (*network == "bridge") {
    config.network = NetworkMode::kBridge;
  } else if (*network != "none") {
    reader.Problem("network", "must be none or bridge");
  }
}

// What is mounted read-only can hold no writable folder.
void CheckModelMount(JsonReader& reader, const InferenceConfig& config) {
  if (config.model_mount_path.empty()) return;
  std::vector<std::string> writable = {"/tmp", kModelHome};
  writable.insert(writable.end(), config.writable_paths.begin(), config.writable_paths.end());
  for (const std::string& path : writable) {
    if (!LiesWithin(path, config.model_mount_path)) continue;
    return reader.Problem("modelMountPath",
                          "must not hold " + path + ", which the model may write to");
  }
}

// Rows are sent to a port that speaks HTTP/1.1, which no profiler server does.
// What was stored before that was known stays readable.
void CheckProfilerPort(JsonReader& reader, const InferenceConfig& config) {
  if (reader.mode() == JsonReader::Mode::kResource) return;
  const auto* image = std::get_if<ImageConfig>(&config.service);
  const int scoring = image != nullptr ? image->port : kEntryScriptPort;
  if (config.profiler_port != scoring) return;
  reader.Problem("profilerPort",
                 "must not be " + std::to_string(scoring) + ", the port that rows are sent to");
}

void ReadShared(JsonReader& reader, InferenceConfig& config) {
  Assign(config.headers, reader.StringMap("headers", CheckHeaderName, CheckHeaderValue));
  Assign(config.readiness_path, reader.String("readinessPath", CheckUrlPath));
  Assign(config.model_mount_path, reader.String("modelMountPath", CheckMountPoint));
  if (auto variables =
          reader.StringMap("environmentVariables", CheckEnvironmentName, CheckEnvironmentValue)) {
    for (auto& [name, value] : *variables) config.environment_variables[name] = value;
  }
  config.profiler_port = reader.Integer("profilerPort", kPort);
  ReadNetwork(reader, config);
  Assign(config.run_as_root, reader.Boolean("runAsRoot"));
  Assign(config.writable_paths, reader.Strings("writablePaths", CheckMountPoint));
  if (auto mib = reader.Integer("shmSizeInMb", {1, 1 << 20})) config.shm_size = MiB(*mib);
  if (auto s = reader.Integer("startTimeoutSeconds", kSeconds)) {
    config.start_timeout = std::chrono::seconds(*s);
  }
  if (auto s = reader.Integer("requestTimeoutSeconds", kSeconds)) {
    config.request_timeout = std::chrono::seconds(*s);
  }
  CheckModelMount(reader, config);
  CheckProfilerPort(reader, config);
}

Json EncodeScript(const EntryScriptConfig& script) {
  Json json = {{"entryScript", script.entry_script}};
  if (!script.source_id.empty()) json["sourceId"] = script.source_id;
  if (!script.source_directory.empty()) json["sourceDirectory"] = script.source_directory;
  Json environment = Json::object();
  if (!script.environment_name.empty()) environment["name"] = script.environment_name;
  if (!script.base_image.empty()) environment["docker"] = {{"baseImage", script.base_image}};
  Json python = Json::object();
  if (!script.pip_packages.empty()) python["pipPackages"] = script.pip_packages;
  if (!script.conda_packages.empty()) python["condaPackages"] = script.conda_packages;
  if (!script.conda_dependencies_file.empty()) {
    python["condaDependenciesFile"] = script.conda_dependencies_file;
  }
  if (!script.requirements_file.empty()) python["requirementsFile"] = script.requirements_file;
  if (!python.empty()) environment["python"] = std::move(python);
  if (!environment.empty()) json["environment"] = std::move(environment);
  return json;
}

Json EncodeImage(const ImageConfig& image) {
  Json json = {{"port", image.port},
               {"scoringPath", image.scoring_path},
               {"method", image.method},
               {"contentType", image.content_type}};
  if (!image.image.empty()) json["image"] = image.image;
  if (image.command) json["command"] = *image.command;
  if (image.args) json["args"] = *image.args;
  return json;
}

}  // namespace

InferenceConfig ReadInferenceConfig(JsonReader& reader, SourceRule rule) {
  InferenceConfig config;
  const bool script = reader.Has("entryScript");
  const bool image = reader.Has("image") || (!script && reader.Has("command"));
  if (script && image) {
    reader.Problem("image", "must not be given together with entryScript");
  } else if (!script && !image) {
    reader.Problem("entryScript", "is required, or image");
  }
  if (image && !script) {
    ReadImage(reader, config);
  } else {
    ReadScript(reader, rule, config);
    reader.Find("image");
  }
  ReadShared(reader, config);
  reader.RefuseUnknown();
  return config;
}

bool MeansAbsentConfig(const Json* json) {
  return json == nullptr || json->is_null() || (json->is_object() && json->empty());
}

Result<InferenceConfig> DecodeInferenceConfig(const Json& json, const std::string& pointer,
                                              SourceRule rule) {
  std::vector<FieldError> problems;
  JsonReader reader(json, pointer, JsonReader::Mode::kRequest, problems);
  if (!json.is_object()) return Fail(ProblemsToStatus(std::move(problems)).error());
  InferenceConfig config = ReadInferenceConfig(reader, rule);
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return config;
}

Json EncodeInferenceConfig(const InferenceConfig& config) {
  Json json = config.IsEntryScript() ? EncodeScript(std::get<EntryScriptConfig>(config.service))
                                     : EncodeImage(std::get<ImageConfig>(config.service));
  if (!config.headers.empty()) json["headers"] = config.headers;
  if (!config.readiness_path.empty()) json["readinessPath"] = config.readiness_path;
  if (!config.model_mount_path.empty()) json["modelMountPath"] = config.model_mount_path;
  if (!config.environment_variables.empty()) {
    json["environmentVariables"] = config.environment_variables;
  }
  if (config.profiler_port) json["profilerPort"] = *config.profiler_port;
  json["network"] = config.network == NetworkMode::kBridge ? "bridge" : "none";
  json["runAsRoot"] = config.run_as_root;
  if (!config.writable_paths.empty()) json["writablePaths"] = config.writable_paths;
  json["shmSizeInMb"] = config.shm_size.count() / MiB(1).count();
  json["startTimeoutSeconds"] = config.start_timeout.count();
  json["requestTimeoutSeconds"] = config.request_timeout.count();
  return json;
}

}  // namespace mlprof
