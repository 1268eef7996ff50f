#include "server/runtime/docker/engine_values.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mlprof::server::docker {
namespace {

// Docker writes null for empty lists and maps, and omits what an older version did not know; every
// reader below takes both as empty.
const Json& Member(const Json& json, const char* key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

std::string Text(const Json& json, const char* key) {
  const Json& value = Member(json, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t Integer(const Json& json, const char* key) {
  const Json& value = Member(json, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

bool Boolean(const Json& json, const char* key) {
  const Json& value = Member(json, key);
  return value.is_boolean() && value.get<bool>();
}

std::vector<std::string> Texts(const Json& value) {
  std::vector<std::string> texts;
  if (value.is_string()) texts.push_back(value.get<std::string>());
  if (!value.is_array()) return texts;
  for (const Json& item : value) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::vector<std::string> Keys(const Json& value) {
  std::vector<std::string> keys;
  if (!value.is_object()) return keys;
  for (const auto& [key, ignored] : value.items()) keys.push_back(key);
  return keys;
}

std::map<std::string, std::string> Labels(const Json& config) {
  const Json& json = Member(config, "Labels");
  std::map<std::string, std::string> labels;
  for (const std::string& key : Keys(json)) labels[key] = Text(json, key.c_str());
  return labels;
}

std::string WithoutSlash(std::string name) {
  if (!name.empty() && name.front() == '/') name.erase(0, 1);
  return name;
}

}  // namespace

EngineInfo DecodeInfo(const Json& json) {
  EngineInfo info;
  info.server_version = Text(json, "ServerVersion");
  info.root_directory = Text(json, "DockerRootDir");
  info.cpus = static_cast<int>(Integer(json, "NCPU"));
  info.memory = Bytes(Integer(json, "MemTotal"));
  const std::string cgroup = Text(json, "CgroupVersion");
  info.cgroup_version = cgroup == "1" ? 1 : cgroup == "2" ? 2 : 0;
  for (const std::string& option : Texts(Member(json, "SecurityOptions"))) {
    if (option.find("name=rootless") != std::string::npos) info.rootless = true;
  }
  info.runtimes = Keys(Member(json, "Runtimes"));
  info.registries = Keys(Member(Member(json, "RegistryConfig"), "IndexConfigs"));
  return info;
}

ContainerState DecodeContainer(const Json& json) {
  const Json& engine_state = Member(json, "State");
  ContainerState state;
  state.id = Text(json, "Id");
  state.name = WithoutSlash(Text(json, "Name"));
  state.running = Boolean(engine_state, "Running");
  state.pid = static_cast<int>(Integer(engine_state, "Pid"));
  state.exit_code = static_cast<int>(Integer(engine_state, "ExitCode"));
  state.oom_killed = Boolean(engine_state, "OOMKilled");
  state.error = Text(engine_state, "Error");
  state.labels = Labels(Member(json, "Config"));
  return state;
}

ImageInfo DecodeImage(const Json& json) {
  const Json& config = Member(json, "Config");
  ImageInfo image;
  image.id = Text(json, "Id");
  image.entrypoint = Texts(Member(config, "Entrypoint"));
  image.command = Texts(Member(config, "Cmd"));
  for (const std::string& line : Texts(Member(config, "Env"))) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    image.environment[line.substr(0, equals)] = line.substr(equals + 1);
  }
  image.user = Text(config, "User");
  image.working_directory = Text(config, "WorkingDir");
  image.stop_signal = Text(config, "StopSignal");
  image.volumes = Keys(Member(config, "Volumes"));
  image.labels = Labels(config);
  return image;
}

std::vector<ListedContainer> DecodeContainerList(const Json& json) {
  std::vector<ListedContainer> containers;
  if (!json.is_array()) return containers;
  for (const Json& item : json) {
    const std::vector<std::string> names = Texts(Member(item, "Names"));
    containers.push_back(
        {Text(item, "Id"), names.empty() ? std::string() : WithoutSlash(names.front())});
  }
  return containers;
}

std::vector<ListedImage> DecodeImageList(const Json& json) {
  std::vector<ListedImage> images;
  if (!json.is_array()) return images;
  for (const Json& item : json) {
    ListedImage image;
    image.id = Text(item, "Id");
    image.names = Texts(Member(item, "RepoTags"));
    image.size = Bytes(Integer(item, "Size"));
    image.created = Timestamp(std::chrono::seconds(Integer(item, "Created")));
    image.labels = Labels(item);
    images.push_back(std::move(image));
  }
  return images;
}

std::vector<std::string> DecodeEvents(std::string_view lines) {
  std::vector<std::string> actions;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const Result<Json> event = ParseJson(lines.substr(0, end));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    if (!event) continue;
    std::string action = Text(*event, "Action");
    if (!action.empty()) actions.push_back(std::move(action));
  }
  return actions;
}

bool RestartedSince(const std::vector<std::string>& events_of_container, std::size_t all_events) {
  // Every engine keeps at least so many events before it forgets the oldest. One that has fewer,
  // and among them not the container's start, has restarted since.
  constexpr std::size_t kKept = 64;
  const auto& events = events_of_container;
  return all_events < kKept && std::find(events.begin(), events.end(), "start") == events.end();
}

StreamLine DecodeStreamLine(std::string_view line) {
  StreamLine decoded;
  const Result<Json> json = ParseJson(line);
  if (!json) return decoded;
  decoded.error = Text(Member(*json, "errorDetail"), "message");
  if (decoded.error.empty()) decoded.error = Text(*json, "error");
  const std::string status = Text(*json, "status");
  // Progress bars repeat a status many times a second; they carry a "progress" text.
  if (status.empty() || !Text(*json, "progress").empty()) return decoded;
  const std::string layer = Text(*json, "id");
  decoded.text = layer.empty() ? status : layer + ": " + status;
  return decoded;
}

}  // namespace mlprof::server::docker
