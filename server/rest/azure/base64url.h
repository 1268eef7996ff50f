// RFC 4648 section 5, without padding. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof {

std::string EncodeBase64Url(std::string_view bytes);
/// nullopt for anything else.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace mlprof
