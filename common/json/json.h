// The one JSON entry: bounded in size, depth and nodes, duplicate keys refused. Every other
// json::parse is a fault (the library recurses without limit on copy and dump of deep input).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t max_bytes = 1 << 20;
  std::size_t max_depth = 64;
  std::size_t max_nodes = 200'000;
};

/// kInvalidArgument with the byte offset where the text is not JSON or breaks a limit.
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

/// Compact text; invalid UTF-8 is replaced, never thrown at.
std::string DumpJson(const Json& value);
std::string DumpJsonIndented(const Json& value);

}  // namespace mlprof
