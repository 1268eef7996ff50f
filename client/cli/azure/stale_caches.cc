#include "client/cli/azure/stale_caches.h"

#include <cctype>

#include "client/cli/text_file.h"

namespace mlprof::client::cli {

namespace fs = std::filesystem;

namespace {

// "127.0.0.1:80" is not named by "127.0.0.1:8080".
bool Names(const std::string& text, const std::string& authority) {
  for (std::size_t at = text.find(authority); at != std::string::npos;
       at = text.find(authority, at + 1)) {
    const std::size_t end = at + authority.size();
    if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0) return true;
  }
  return false;
}

}  // namespace

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
    return text && Names(*text, authority);
  });
  return caches;
}

}  // namespace mlprof::client::cli
