#include "server/runtime/environment/registry_rules.h"

#include <algorithm>

#include "common/text/case.h"

namespace mlprof::server::environment {

// As the engine reads it: the part before the first slash, if it looks like a host.
std::string RegistryOf(std::string_view repository) {
  const std::size_t slash = repository.find('/');
  if (slash == std::string_view::npos) return "";
  const std::string host(repository.substr(0, slash));
  const bool has_capitals = host != Lowercase(host);
  const bool is_host =
      host.find_first_of(".:") != std::string::npos || host == "localhost" || has_capitals;
  if (!is_host) return "";
  return Lowercase(host);
}

bool MayPullFrom(const std::string& registry, const std::vector<std::string>& allowed) {
  if (registry.empty()) return true;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
    return one == "*" || EqualsIgnoringCase(one, registry);
  });
}

}  // namespace mlprof::server::environment
