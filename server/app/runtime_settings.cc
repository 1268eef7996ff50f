#include "server/app/runtime_settings.h"

#include <system_error>
#include <utility>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/process/process_options.h"

namespace mlprof::server {
namespace {

std::filesystem::path BesideThisProgram(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / name;
}

DockerOptions DockerSettings(const ServerOptions& options, const std::filesystem::path& data_dir,
                             std::string instance_id, ControllerMetrics& metrics,
                             const AccessRules& access) {
  DockerOptions docker;
  if (!options.docker_host.empty()) docker.docker_host = options.docker_host;
  docker.agent_binary = AgentProgramOf(options);
  docker.data_dir = data_dir;
  docker.instance_id = std::move(instance_id);
  docker.base_image = options.base_image;
  docker.registries = options.registries;
  docker.isolation = options.isolation == "gvisor" ? Isolation::kGvisor : Isolation::kDefault;
  if (options.device_access == "cdi") docker.device_access = DeviceAccess::kCdi;
  if (options.device_access == "environment") docker.device_access = DeviceAccess::kEnvironment;
  docker.scratch_limit = options.scratch_limit;
  docker.observe_call = [&metrics](std::string_view call, bool succeeded, double seconds) {
    metrics.DockerCalled(call, succeeded ? "ok" : "failed", seconds);
  };
  docker.own_ports = [&access] {
    return std::vector<unsigned short>{access.http_port(), access.https_port()};
  };
  return docker;
}

}  // namespace

std::filesystem::path AgentProgramOf(const ServerOptions& options) {
  return options.agent.empty() ? BesideThisProgram("mlprof-agent") : options.agent;
}

Result<std::unique_ptr<Runtime>> MakeRuntime(const ServerOptions& options,
                                             const std::filesystem::path& data_dir,
                                             const std::string& instance_id,
                                             ControllerMetrics& metrics,
                                             const AccessRules& access) {
  if (options.runtime == "process") {
    return MakeProcessRuntime({AgentProgramOf(options), data_dir, instance_id});
  }
  return MakeDockerRuntime(DockerSettings(options, data_dir, instance_id, metrics, access));
}

}  // namespace mlprof::server
