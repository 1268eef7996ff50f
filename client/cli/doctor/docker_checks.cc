#include <filesystem>

#include "client/cli/doctor/check.h"
#include "client/src/json_fields.h"
#include "common/http/client.h"

namespace mlprof::client::cli {
namespace {

constexpr std::chrono::seconds kWait{5};
constexpr const char* kInstall =
    "apt-get install -y docker.io && (dockerd >/var/log/dockerd.log 2>&1 &); or do without: "
    "--runtime process, see mlprof doctor --runtime process";

// The socket that DOCKER_HOST (may be "") names.
Result<std::string> SocketOf(const std::string& docker_host) {
  if (docker_host.empty()) return "/var/run/docker.sock";
  constexpr std::string_view kScheme = "unix://";
  if (!docker_host.starts_with(kScheme)) {
    return Fail(InvalidArgument("DOCKER_HOST is " + docker_host + ", which is no Unix socket"));
  }
  return docker_host.substr(kScheme.size());
}

// The body of a 200 response.
Result<std::string> Get(const std::string& socket, const std::string& path) {
  HttpCall call;
  call.target = path;
  MLPROF_LET(reply, CallHttp(UnixEndpoint{socket}, call, Deadline::After(kWait)));
  if (reply.status != 200) {
    return Fail(Unavailable("the engine answers " + std::to_string(reply.status)));
  }
  return std::move(reply.body);
}

Json Ask(const std::string& socket, const std::string& path) {
  const auto body = Get(socket, path);
  if (!body) return Json::object();
  return ParseJson(*body, {8 << 20, 64, 1'000'000}).value_or(Json::object());
}

std::string VersionOf(const Json& version, const std::string& component) {
  const auto components = version.find("Components");
  if (components == version.end() || !components->is_array()) return "";
  for (const Json& entry : *components) {
    if (TextField(entry, "Name") == component) return TextField(entry, "Version");
  }
  return "";
}

bool Flag(const Json& info, const std::string& key) {
  const auto found = info.find(key);
  return found != info.end() && found->is_boolean() && found->get<bool>();
}

Finding LimitsFinding(const Json& info) {
  std::string missing;
  for (const char* key : {"MemoryLimit", "CpuCfsQuota", "CpuCfsPeriod", "PidsLimit"}) {
    if (!Flag(info, key)) missing += (missing.empty() ? "" : ", ") + std::string(key);
  }
  const bool ok = missing.empty();
  return {"container limits", ok,
          ok ? "memory, CPU and process limits work" : "missing: " + missing,
          ok ? "" : "mount the cpu, memory and pids cgroup controllers, then restart dockerd"};
}

Finding CgroupFinding(const Json& info) {
  const std::string version = TextField(info, "CgroupVersion");
  const bool unified = std::filesystem::exists("/sys/fs/cgroup/cgroup.controllers");
  const std::string found = version.empty() ? (unified ? "2" : "1") : version;
  return {"cgroup", true, "version " + found, ""};
}

Finding BaseImageFinding(const std::string& socket, const Surroundings& surroundings) {
  if (!FindProgram("mmdebstrap", surroundings).empty()) {
    return {"base image", true, "mmdebstrap can make one", ""};
  }
  const Json images = Ask(socket, "/images/json");
  const bool any = images.is_array() && !images.empty();
  return {"base image", any,
          any ? "images are there; mmdebstrap is not" : "neither mmdebstrap nor an image is there",
          any ? "" : "apt-get install -y mmdebstrap"};
}

}  // namespace

std::vector<Finding> CheckDocker(const Surroundings& surroundings) {
  const auto socket = SocketOf(surroundings.environment("DOCKER_HOST").value_or(""));
  if (!socket) return {{"docker", false, socket.error().message(), "unset DOCKER_HOST"}};
  const auto ping = Get(*socket, "/_ping");
  if (!ping) return {{"docker", false, ping.error().message(), kInstall}};
  const Json version = Ask(*socket, "/version");
  const Json info = Ask(*socket, "/info");
  const std::string runc = VersionOf(version, "runc");
  return {{"docker", true, "engine " + TextField(version, "Version") + " at " + *socket, ""},
          {"runc", !runc.empty(), runc.empty() ? "no version known" : runc,
           runc.empty() ? "apt-get install -y runc" : ""},
          CgroupFinding(info),
          LimitsFinding(info),
          BaseImageFinding(*socket, surroundings)};
}

}  // namespace mlprof::client::cli
