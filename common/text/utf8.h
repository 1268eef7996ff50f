// UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing past U+10FFFF. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace mlprof {

/// Where the first byte stands that is not UTF-8; nullopt when all of it is.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);

}  // namespace mlprof
