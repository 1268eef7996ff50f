// YAML as JSON values: one small document of maps, lists and scalars. Refuses what
// definitions never need and an attacker might: anchors and aliases, tags, duplicate keys, depth,
// more documents. Pure.
#pragma once

#include <string>

#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::server {

/// Scalars become strings as they are written ("false", "\n"), empty ones null. At most 256 KiB.
/// kInvalidArgument with the line.
Result<Json> ParseYaml(const std::string& text);

}  // namespace mlprof::server
