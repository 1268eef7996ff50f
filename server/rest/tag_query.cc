#include "server/rest/tag_query.h"

namespace mlprof::server {
namespace {

TagFilter Split(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool Check(const TagFilter& tag, QueryReader& query) {
  std::string problem = CheckTagKey(tag.key);
  if (problem.empty() && tag.value) problem = CheckTagValue(*tag.value);
  if (problem.empty()) return true;
  query.Problem("tag", std::move(problem));
  return false;
}

}  // namespace

std::map<std::string, std::string> ReadTags(QueryReader& query) {
  std::map<std::string, std::string> tags;
  for (const std::string& text : query.Repeated("tag")) {
    const TagFilter tag = Split(text);
    if (!tag.value) {
      query.Problem("tag", "must be KEY=VALUE");
    } else if (Check(tag, query) && !tags.emplace(tag.key, *tag.value).second) {
      query.Problem("tag", "gives the key " + tag.key + " twice");
    }
  }
  return tags;
}

std::vector<TagFilter> ReadTagFilters(QueryReader& query) {
  std::vector<TagFilter> filters;
  for (const std::string& text : query.Repeated("tag")) {
    TagFilter tag = Split(text);
    if (Check(tag, query)) filters.push_back(std::move(tag));
  }
  return filters;
}

}  // namespace mlprof::server
