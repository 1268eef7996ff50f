#include "server/app/docker_settings.h"

#include <system_error>
#include <utility>

namespace mlprof::server {
namespace {

std::filesystem::path BesideThisProgram(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / name;
}

}  // namespace

DockerOptions DockerSettings(const ServerOptions& options, const std::filesystem::path& data_dir,
                             std::string instance_id, ControllerMetrics& metrics,
                             const AccessRules& access) {
  DockerOptions docker;
  if (!options.docker_host.empty()) docker.docker_host = options.docker_host;
  docker.agent_binary = options.agent.empty() ? BesideThisProgram("mlprof-agent") : options.agent;
  docker.data_dir = data_dir;
  docker.instance_id = std::move(instance_id);
  docker.base_image = options.base_image;
  docker.registries = options.registries;
  docker.isolation = options.isolation == "gvisor" ? Isolation::kGvisor : Isolation::kDefault;
  docker.scratch_limit = options.scratch_limit;
  docker.observe_call = [&metrics](std::string_view call, bool succeeded, double seconds) {
    metrics.DockerCalled(call, succeeded ? "ok" : "failed", seconds);
  };
  docker.own_ports = [&access] {
    return std::vector<unsigned short>{access.http_port(), access.https_port()};
  };
  return docker;
}

}  // namespace mlprof::server
