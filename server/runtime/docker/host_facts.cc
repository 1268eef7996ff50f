#include "server/runtime/docker/host_facts.h"

#include <fstream>
#include <string>
#include <system_error>

namespace mlprof::server::docker {
namespace {

std::string CpuModel() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) != 0 && line.rfind("Model\t", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

Result<HostFacts> AskForHost(DockerContext& context, const Patience& patience) {
  const Result<EngineInfo> info = context.engine.Info(patience);
  if (!info) return Fail(info.error());
  HostFacts facts;
  facts.cpu_model = CpuModel();
  facts.cores = info->cpus;
  facts.memory = info->memory;
  facts.cgroup_version = info->cgroup_version;
  context.host.Set(facts);
  return facts;
}

Result<HostFacts> KnownHost(DockerContext& context, const Patience& patience) {
  if (auto known = context.host.Get()) return *std::move(known);
  return AskForHost(context, patience);
}

std::vector<std::filesystem::path> DisksOf(DockerContext& context, const Patience& patience) {
  if (!context.engine_root.Get()) {
    const Result<EngineInfo> info = context.engine.Info(patience);
    if (info && !info->root_directory.empty()) context.engine_root.Set(info->root_directory);
  }
  std::vector<std::filesystem::path> disks = {context.options.data_dir};
  const std::filesystem::path root = context.engine_root.Get().value_or("");
  std::error_code error;
  if (!root.empty() && std::filesystem::exists(root, error)) disks.push_back(root);
  return disks;
}

}  // namespace mlprof::server::docker
