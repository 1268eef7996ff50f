#include "server/storage/names.h"

#include <algorithm>

#include "common/text/ascii.h"

namespace mlprof::server {

bool IsValidName(std::string_view name) {
  return !name.empty() && name.size() <= 255 && IsAlnum(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsValidWorkspace(std::string_view workspace) {
  const std::size_t first = workspace.find('/');
  if (first == std::string_view::npos) return IsValidName(workspace);
  const std::size_t second = workspace.find('/', first + 1);
  return second != std::string_view::npos && IsValidName(workspace.substr(0, first)) &&
         IsValidName(workspace.substr(first + 1, second - first - 1)) &&
         IsValidName(workspace.substr(second + 1));
}

}  // namespace mlprof::server
