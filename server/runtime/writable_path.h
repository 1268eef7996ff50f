// Which paths a config may name as writable, on every engine. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::server {

bool IsWithin(std::string_view path, std::string_view folder);

/// In normal form. kInvalidArgument for one that is not absolute, climbs, or is not the model's.
Result<std::string> CheckedWritablePath(const std::string& path);

}  // namespace mlprof::server
