// Names in archives, made safe. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof {

/// "./a/b/" → "a/b"; "." and "./" → "" (the root itself). kInvalidArgument, naming the entry, for
/// absolute paths, empty names and components, "..", inner ".", NUL, and what is too long or deep.
Result<std::string> SafeTarPath(std::string_view name, std::size_t max_bytes, int max_depth);

/// A name for error messages: quoted, cut, control characters and foreign bytes as '?'.
std::string Quoted(std::string_view name);

}  // namespace mlprof
