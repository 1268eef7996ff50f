#include "server/runtime/writable_path.h"

#include <filesystem>

namespace mlprof::server {

bool IsWithin(std::string_view path, std::string_view folder) {
  if (path.substr(0, folder.size()) != folder) return false;
  return path.size() == folder.size() || path[folder.size()] == '/';
}

Result<std::string> CheckedWritablePath(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  const bool absolute = !path.empty() && path.front() == '/';
  const bool climbs = path.find("..") != std::string::npos;
  if (!absolute || climbs || normal == "/") {
    return Fail(InvalidArgument("'" + path +
                                "' cannot be a writable path: it must be absolute, below / and "
                                "without '..'"));
  }
  for (const std::string_view kept : {"/proc", "/sys", "/dev", "/.mlprof"}) {
    if (IsWithin(normal, kept)) {
      return Fail(InvalidArgument("'" + path + "' cannot be a writable path: " + std::string(kept) +
                                  " is not the model's"));
    }
  }
  return normal;
}

}  // namespace mlprof::server
