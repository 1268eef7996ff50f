#include "server/runtime/docker/container_spec.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "server/runtime/docker/engine.h"
#include "server/runtime/model_start.h"
#include "server/runtime/writable_path.h"

namespace mlprof::server::docker {
namespace {

constexpr const char* kAgentSocket = "/.mlprof/agent.sock";
// When the host runs out of memory, the kernel is to end the container before other programs (0 is
// the default, 1000 the most: the agent gives that to the model, so that it goes first).
constexpr int kOomScore = 500;
constexpr const char* kDriverCapabilities = "NVIDIA_DRIVER_CAPABILITIES";
constexpr const char* kCdiKind = "nvidia.com/gpu=";

Json Mounts(const ContainerPlaces& places) {
  Json mounts = Json::array({ReadOnlyMount(places.agent_binary, kAgentProgram),
                             ReadOnlyMount(places.agent_socket, kAgentSocket)});
  for (const LocalInput& input : places.inputs) {
    mounts.push_back(ReadOnlyMount(input.here, input.inside));
  }
  for (const ScratchFolder& folder : places.scratch) mounts.push_back(WritableMount(folder));
  return mounts;
}

// The agent is uid 0 with just enough capabilities to give the model another uid and to end it. A
// model that runs as root by its owner's choice gets CHOWN too: a server like nginx gives files to
// the users that its workers run as.
Json Capabilities(bool run_as_root) {
  Json capabilities = Json::array({"SETUID", "SETGID", "KILL"});
  if (run_as_root) capabilities.push_back("CHOWN");
  return capabilities;
}

// Each by its uuid, and no other: what the container sees is what its profile was given.
Json DeviceRequests(const std::vector<std::string>& uuids, DeviceAccess access) {
  if (access == DeviceAccess::kCdi) {
    Json names = Json::array();
    for (const std::string& uuid : uuids) names.push_back(kCdiKind + uuid);
    return Json::array({{{"Driver", "cdi"}, {"DeviceIDs", std::move(names)}}});
  }
  return Json::array({{{"Driver", ""},
                       {"DeviceIDs", uuids},
                       {"Capabilities", Json::array({Json::array({"gpu"})})}}});
}

// What a TPU is opened by; its driver locks the memory that the chip reads and writes.
void GiveFiles(const std::vector<std::string>& files, Json& host) {
  if (files.empty()) return;
  Json devices = Json::array();
  for (const std::string& file : files) {
    devices.push_back(
        {{"PathOnHost", file}, {"PathInContainer", file}, {"CgroupPermissions", "rw"}});
  }
  host["Devices"] = std::move(devices);
  host["Ulimits"] = Json::array({{{"Name", "memlock"}, {"Soft", -1}, {"Hard", -1}}});
}

// What NVIDIA's runtime reads of a container. Images of CUDA ask for all devices: where that
// runtime is the engine's default, a profile without any would see those of others, unmeasured.
Json DeviceVariables(const LaunchRequest& request, DeviceAccess access) {
  const bool by_runtime = access == DeviceAccess::kEnvironment && !request.devices.empty();
  const std::string visible = by_runtime ? VisibleDevices(request.devices) : "void";
  Json variables = Json::array({std::string(kVisibleDevices) + "=" + visible});
  if (by_runtime && !request.image.environment.contains(kDriverCapabilities)) {
    variables.push_back(std::string(kDriverCapabilities) + "=compute,utility");
  }
  return variables;
}

Json HostConfig(const LaunchRequest& request, const ContainerPlaces& places, Isolation isolation) {
  Json config = HardenedHostConfig();
  config["CapAdd"] = Capabilities(request.config.run_as_root);
  config["ReadonlyRootfs"] = true;
  config["Memory"] = request.limits.memory().count();
  config["MemorySwap"] = request.limits.memory().count();  // memory and swap together: no swap
  config["CpuPeriod"] = kCpuPeriodMicroseconds;
  config["CpuQuota"] = CpuQuotaMicroseconds(request.limits.cpu());
  if (!request.cpuset.empty()) config["CpusetCpus"] = request.cpuset;
  config["ShmSize"] = request.config.shm_size.count();
  config["OomScoreAdj"] = kOomScore;
  config["Mounts"] = Mounts(places);
  if (request.config.network == NetworkMode::kNone) {
    config["NetworkMode"] = "none";
    // Without a network Docker gives the host name no address, and servers look themselves up.
    config["ExtraHosts"] = Json::array({std::string(kModelHostName) + ":127.0.0.1"});
  } else {
    config["NetworkMode"] = "bridge";
  }
  GiveFiles(request.device_files, config);
  if (isolation == Isolation::kGvisor) config["Runtime"] = "runsc";
  return config;
}

Result<std::vector<std::string>> CheckedPaths(const std::vector<std::string>& paths) {
  std::set<std::string> checked;
  for (const std::string& path : paths) {
    Result<std::string> one = CheckedWritablePath(path);
    if (!one) return Fail(one.error());
    checked.insert(*std::move(one));
  }
  return std::vector<std::string>(checked.begin(), checked.end());
}

}  // namespace

Json WritableMount(const ScratchFolder& folder) {
  if (!folder.keeps_image_content) {
    return {{"Type", "bind"}, {"Source", folder.host.string()}, {"Target", folder.container}};
  }
  // Docker copies the image's content into new volumes only, not into bind mounts: so the folder is
  // made a volume.
  const Json options = {{"type", "none"}, {"o", "bind"}, {"device", folder.host.string()}};
  return {{"Type", "volume"},
          {"Target", folder.container},
          {"VolumeOptions", {{"DriverConfig", {{"Name", "local"}, {"Options", options}}}}}};
}

Json ReadOnlyMount(const std::filesystem::path& host, const std::string& container) {
  return {{"Type", "bind"}, {"Source", host.string()}, {"Target", container}, {"ReadOnly", true}};
}

Json HardenedHostConfig() {
  return {
      {"CapDrop", Json::array({"ALL"})},
      {"SecurityOpt", Json::array({"no-new-privileges"})},
      {"PidsLimit", kPidsLimit},
      {"IpcMode", "private"},
      {"Init", false},
      {"AutoRemove", false},
      {"RestartPolicy", {{"Name", "no"}}},
      // Docker's default keeps every byte a container ever wrote; two files of 1 MiB bound it.
      {"LogConfig", {{"Type", "json-file"}, {"Config", {{"max-size", "1m"}, {"max-file", "2"}}}}}};
}

Result<std::vector<std::string>> VolumePaths(const std::vector<std::string>& volumes) {
  return CheckedPaths(volumes);
}

Result<std::vector<ScratchFolder>> ScratchFolders(const LaunchRequest& request,
                                                  const std::filesystem::path& scratch) {
  const Result<std::vector<std::string>> volumes = VolumePaths(request.image.volumes);
  if (!volumes) return Fail(volumes.error());
  const Result<std::vector<std::string>> wanted = CheckedPaths(request.config.writable_paths);
  if (!wanted) return Fail(wanted.error());
  std::vector<ScratchFolder> folders;
  const auto add = [&](const std::string& path, bool keeps_image_content) {
    folders.push_back({scratch / std::to_string(folders.size()), path, keeps_image_content});
  };
  const auto is_any = [&](const auto& predicate) {
    return std::any_of(folders.begin(), folders.end(), predicate);
  };
  add("/tmp", false);
  add(kModelHome, false);
  for (const std::string& path : *volumes) {
    if (!is_any([&](const auto& folder) { return folder.container == path; })) add(path, true);
  }
  for (const std::string& path : *wanted) {
    if (!is_any([&](const auto& folder) { return IsWithin(path, folder.container); })) {
      add(path, true);
    }
  }
  return folders;
}

Json ContainerSpec(const LaunchRequest& request, const ContainerPlaces& places,
                   const std::string& instance_id, Isolation isolation, DeviceAccess access) {
  Json spec = {{"Image", request.image.image_id},
               {"Entrypoint", Json::array({kAgentProgram})},
               {"Cmd", Json::array({"--socket", kAgentSocket})},
               {"User", "0:0"},
               {"WorkingDir", "/"},
               {"Hostname", kModelHostName},
               {"Tty", false},
               {"OpenStdin", false},
               {"StopSignal", "SIGTERM"},
               {"Healthcheck", {{"Test", Json::array({"NONE"})}}},
               {"Labels", {{kInstanceLabel, instance_id}, {kProfileLabel, request.profile_id}}},
               {"HostConfig", HostConfig(request, places, isolation)}};
  const bool given = !request.devices.empty();
  // The engine itself tells the runtime of devices that are asked for by request.
  if (!given || access != DeviceAccess::kRequest) spec["Env"] = DeviceVariables(request, access);
  if (given && access != DeviceAccess::kEnvironment) {
    spec["HostConfig"]["DeviceRequests"] = DeviceRequests(request.devices, access);
  }
  return spec;
}

Result<std::vector<LocalInput>> LocalInputs(const std::vector<ContentInput>& inputs) {
  std::vector<LocalInput> local;
  for (const ContentInput& input : inputs) {
    std::optional<std::filesystem::path> folder = input.reader->LocalDirectory();
    if (!folder) {
      return Fail(InvalidArgument("what belongs at " + input.inside +
                                  " lies in no folder of this machine that Docker could mount"));
    }
    local.push_back({*std::move(folder), input.inside});
  }
  return local;
}

}  // namespace mlprof::server::docker
