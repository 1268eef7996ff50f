// What requests about models say beside their path: tags in the query string (`tag=KEY=VALUE`, in
// filters also `tag=KEY`), and the body of a change. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "server/registry/model_registry.h"
#include "server/rest/query_reader.h"

namespace mlprof::server {

/// The tags of a new model; each needs a value. Problems go to the reader.
std::map<std::string, std::string> ReadTags(QueryReader& query);
std::vector<TagFilter> ReadTagFilters(QueryReader& query);

/// The body of PATCH /models/{id}. kInvalidArgument with every bad field.
Result<ModelChange> DecodeModelChange(const Json& json);

}  // namespace mlprof::server
