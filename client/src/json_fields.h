// Reads single members of JSON of a trusted server without trusting their types.
#pragma once

#include <optional>
#include <string>

#include "common/json/json.h"

namespace mlprof::client {

/// "" where `object` is none or has no such text.
std::string TextField(const Json& object, const std::string& key);
std::optional<double> NumberField(const Json& object, const std::string& key);

}  // namespace mlprof::client
