#include "server/runtime/docker/disk/engine_disk.h"

#include <system_error>

namespace mlprof::server::docker {

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
