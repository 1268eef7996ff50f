#include "client/cli/azure/stale_caches.h"

#include "client/cli/text_file.h"

namespace mlprof::cli {

namespace fs = std::filesystem;

std::vector<fs::path> StaleCaches(const Surroundings& surroundings, const std::string& authority) {
  std::vector<fs::path> caches;
  const auto home = surroundings.environment("HOME");
  if (const auto folder = surroundings.environment("AZURE_CONFIG_DIR")) {
    caches.push_back(fs::path(*folder) / "cloudEndpoints.json");
  } else if (home) {
    caches.push_back(fs::path(*home) / ".azure" / "cloudEndpoints.json");
  }
  if (home) caches.push_back(fs::path(*home) / ".azureml" / ".discovery");
  std::erase_if(caches, [&](const fs::path& cache) {
    std::error_code error;
    if (!fs::exists(cache, error)) return true;
    const auto text = ReadTextFile(cache);
    return text && text->find(authority) != std::string::npos;
  });
  return caches;
}

}  // namespace mlprof::cli
