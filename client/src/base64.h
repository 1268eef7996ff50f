// Base64 (RFC 4648 §4), for rows that are no text.
#pragma once

#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof {

std::string EncodeBase64(std::string_view bytes);
/// kInvalidArgument for a character or a length that base64 does not have.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace mlprof
