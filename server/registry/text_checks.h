// Checks and decoders of text. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof {

/// Where the first byte stands that is not UTF-8 (RFC 3629: no surrogates, no overlong forms,
/// nothing past U+10FFFF); nullopt when all of it is.
std::optional<std::size_t> FirstInvalidUtf8(std::string_view text);
/// RFC 4648 section 4, padded, nothing else in it; nullopt otherwise.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace mlprof
