#include "server/rest/entity_tag.h"

#include <algorithm>
#include <string_view>

namespace mlprof::server {
namespace {

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// No tag of ours holds a comma.
bool Names(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view named = Trimmed(list.substr(0, comma));
    if (named == "*") return true;
    if (named.starts_with("W/")) named.remove_prefix(2);
    if (named == tag) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

std::string EntityTag(const std::string& sha256) { return "\"" + sha256 + "\""; }

bool HasAlready(const HttpRequest& request, const std::string& tag) {
  const auto lists = request.headers.GetAll("If-None-Match");
  return std::any_of(lists.begin(), lists.end(),
                     [&](const std::string& list) { return Names(list, tag); });
}

}  // namespace mlprof::server
