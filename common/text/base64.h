// Base64 (RFC 4648): section 4, padded, and section 5 for URLs, without padding. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof {

std::string EncodeBase64(std::string_view bytes);
/// Padded, nothing else in it; nullopt otherwise.
std::optional<std::string> DecodeBase64(std::string_view text);

std::string EncodeBase64Url(std::string_view bytes);
/// nullopt for anything else.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace mlprof
