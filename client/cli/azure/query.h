// The part of JMESPath that scripts give Azure's --query: names, [N], [] and [*] ("id", "[0].id",
// "[].tags.team"). Pure.
#pragma once

#include <string>

#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// What `query` finds in `value`; null where it finds nothing, as in JMESPath. kInvalidArgument for
/// what is no such query; whether it is one does not depend on `value`.
Result<Json> ApplyQuery(const std::string& query, const Json& value);

}  // namespace mlprof::client::cli
