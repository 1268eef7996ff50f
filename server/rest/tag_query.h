// Tags in query strings: `tag=KEY=VALUE`, in filters also `tag=KEY`. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/registry/model_registry.h"
#include "server/rest/query_reader.h"

namespace mlprof::server {

/// The tags of a new model; each needs a value. Problems go to the reader.
std::map<std::string, std::string> ReadTags(QueryReader& query);
std::vector<TagFilter> ReadTagFilters(QueryReader& query);

}  // namespace mlprof::server
