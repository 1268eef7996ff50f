// The one JSON entry: bounded in size, depth and nodes, duplicate keys refused. Every other
// json::parse is a fault (the library recurses without limit on copy and dump of deep input).
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof {

using Json = nlohmann::json;

/// By default those of a request's body: 1 MiB, deeper and of more values than any that is known.
struct JsonLimits {
  std::size_t max_bytes = 1 << 20;
  std::size_t max_depth = 64;
  std::size_t max_nodes = 200'000;  // values, keys not counted
  bool unique_keys = true;          // refuses an object that has a key twice
};

/// kInvalidArgument with the byte offset where the text is not JSON, or with the limit it breaks;
/// then nothing was built. Time grows linearly with the text.
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

enum class JsonEvent { kObject, kObjectEnd, kArray, kArrayEnd, kKey, kString, kOther };

/// Told of every value in the order of the text. `depth`: how many objects and lists it stands in.
/// `text`: the key or the string, which may be moved from; else empty. False ends the scan.
using JsonListener = std::function<bool(JsonEvent event, std::size_t depth, std::string& text)>;

/// Reads a text without building anything of it, so that its memory does not grow with the number
/// of its values. Errors as ParseJson; success also where the listener ended it.
Status ScanJson(std::string_view text, const JsonLimits& limits, const JsonListener& listener);

/// Compact text; invalid UTF-8 is replaced, never thrown at.
std::string DumpJson(const Json& value);
std::string DumpJsonIndented(const Json& value);

}  // namespace mlprof
