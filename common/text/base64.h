// RFC 4648 section 4, padded. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof {

std::string EncodeBase64(std::string_view bytes);

}  // namespace mlprof
