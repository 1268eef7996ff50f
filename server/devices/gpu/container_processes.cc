#include "server/devices/gpu/container_processes.h"

#include <fstream>
#include <sstream>

namespace mlprof::server::devices {

bool NamesContainer(std::string_view cgroup, std::string_view container_id) {
  return !container_id.empty() && cgroup.find(container_id) != std::string_view::npos;
}

bool RunsIn(const std::string& container_id, pid_t pid, const std::filesystem::path& proc) {
  std::ifstream file(proc / std::to_string(pid) / "cgroup");
  std::stringstream text;
  text << file.rdbuf();
  return NamesContainer(text.str(), container_id);
}

}  // namespace mlprof::server::devices
