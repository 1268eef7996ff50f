#include "server/storage/names.h"

#include <algorithm>

namespace mlprof {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool IsValidName(std::string_view name) {
  return !name.empty() && name.size() <= 255 && IsAlphanumeric(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsValidWorkspace(std::string_view workspace) {
  const std::size_t first = workspace.find('/');
  if (first == std::string_view::npos) return IsValidName(workspace);
  const std::size_t second = workspace.find('/', first + 1);
  return second != std::string_view::npos && IsValidName(workspace.substr(0, first)) &&
         IsValidName(workspace.substr(first + 1, second - first - 1)) &&
         IsValidName(workspace.substr(second + 1));
}

}  // namespace mlprof
