// JSON that a test wrote itself.
#pragma once

#include "common/json/json.h"

namespace mlprof::server {

inline Json Parsed(const std::string& text) { return ParseJson(text).value(); }

}  // namespace mlprof::server
