// JSON that a test wrote itself.
#pragma once

#include "common/json/json.h"

namespace mlprof {

inline Json Parsed(const std::string& text) { return ParseJson(text).value(); }

}  // namespace mlprof
