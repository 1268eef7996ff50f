// JSON values as a YAML 1.2 document in block style. Text is quoted wherever a YAML reader could
// take it for something else.
#pragma once

#include <string>

#include "common/json/json.h"

namespace mlprof::client::cli {

/// Ends in a line end.
std::string Yaml(const Json& value);

}  // namespace mlprof::client::cli
