#include "server/runtime/model_start.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "common/text/ascii.h"

namespace mlprof::server {
namespace {

constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The root is read-only, so programs that keep a cache are pointed to the home folder, which is
// writable.
Environment Foundation() {
  const std::string home = kModelHome;
  const std::string cache = home + "/.cache";
  return {{"PATH", kDefaultPath},
          {"TMPDIR", "/tmp"},
          {"XDG_CACHE_HOME", cache},
          {"XDG_CONFIG_HOME", home + "/.config"},
          {"XDG_DATA_HOME", home + "/.local/share"},
          {"HF_HOME", cache + "/huggingface"},
          {"MPLCONFIGDIR", cache + "/matplotlib"},
          {"NUMBA_CACHE_DIR", cache + "/numba"},
          {"TORCH_HOME", cache + "/torch"},
          {"TRITON_CACHE_DIR", cache + "/triton"},
          {"PYTHONDONTWRITEBYTECODE", "1"}};
}

void Overlay(Environment& base, const Environment& over) {
  for (const auto& [name, value] : over) base[name] = value;
}

std::string ScriptPath(const EntryScriptConfig& script) {
  return (std::filesystem::path(SourceFolder(script)) / script.entry_script)
      .lexically_normal()
      .string();
}

void AddEntryScript(const EntryScriptConfig& script, Environment& environment) {
  const std::string bin = std::string(kEnvironmentFolder) + "/bin";
  environment["PATH"] = bin + ":" + environment["PATH"];
  environment["VIRTUAL_ENV"] = kEnvironmentFolder;
  environment["AML_APP_ROOT"] = SourceFolder(script);
  environment["AZUREML_ENTRY_SCRIPT"] = ScriptPath(script);
  environment["PYTHONUNBUFFERED"] = "1";
  // gunicorn's workers touch a file as a sign of life. In memory no busy disk can delay that, and
  // have a worker killed.
  environment["GUNICORN_CMD_ARGS"] = "--worker-tmp-dir /dev/shm";
}

}  // namespace

std::string VisibleDevices(const std::vector<std::string>& uuids) {
  std::string all;
  for (const std::string& uuid : uuids) all += (all.empty() ? "" : ",") + uuid;
  return all;
}

std::string SourceFolder(const EntryScriptConfig& config) {
  std::string folder =
      (std::filesystem::path(kSourceMount) / config.source_directory).lexically_normal().string();
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

std::vector<std::string> ModelCommand(const PreparedImage& image, const InferenceConfig& config) {
  if (const auto* script = std::get_if<EntryScriptConfig>(&config.service)) {
    return {std::string(kEnvironmentFolder) + "/bin/serve-entry-script", "--entry_script",
            ScriptPath(*script), "--port", std::to_string(kEntryScriptPort)};
  }
  const auto& service = std::get<ImageConfig>(config.service);
  std::vector<std::string> argv = service.command.value_or(image.entrypoint);
  std::vector<std::string> rest;
  if (service.args) {
    rest = *service.args;
  } else if (!service.command) {
    rest = image.command;
  }
  argv.insert(argv.end(), rest.begin(), rest.end());
  return argv;
}

Environment ModelEnvironment(const PreparedImage& image, const InferenceConfig& config,
                             const Environment& added) {
  Environment environment = Foundation();
  Overlay(environment, image.environment);
  environment["HOME"] = kModelHome;  // an image's own is on its read-only root
  environment["HOSTNAME"] = kModelHostName;
  if (const auto* script = std::get_if<EntryScriptConfig>(&config.service)) {
    AddEntryScript(*script, environment);
  }
  Overlay(environment, added);
  Overlay(environment, config.environment_variables);
  return environment;
}

agent_protocol::Start StartFor(const PreparedImage& image, const InferenceConfig& config,
                               const Environment& added) {
  agent_protocol::Start start;
  start.command = ModelCommand(image, config);
  start.environment = ModelEnvironment(image, config, added);
  start.user = image.user;
  start.run_as_root = config.run_as_root;
  start.stop_signal = image.stop_signal;
  start.headers = config.headers;
  start.readiness_path = config.readiness_path;
  start.start_timeout = config.start_timeout;
  start.request_timeout = config.request_timeout;
  std::string content_type = "application/json";
  if (const auto* script = std::get_if<EntryScriptConfig>(&config.service)) {
    start.working_directory = SourceFolder(*script);
    start.port = kEntryScriptPort;
    start.method = "POST";
    start.path = kEntryScriptPath;
  } else {
    const auto& service = std::get<ImageConfig>(config.service);
    start.working_directory = image.working_directory;
    start.port = service.port;
    start.method = service.method;
    start.path = service.scoring_path;
    content_type = service.content_type;
  }
  const bool has_content_type = std::any_of(
      start.headers.begin(), start.headers.end(),
      [](const auto& header) { return EqualsIgnoringCase(header.first, "content-type"); });
  if (!has_content_type) start.headers["Content-Type"] = content_type;
  return start;
}

}  // namespace mlprof::server
