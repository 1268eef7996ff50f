// HMAC-SHA-256 (RFC 2104), for what the server signs and asks for again.
#pragma once

#include <string>
#include <string_view>

namespace mlprof {

/// 32 raw bytes.
std::string HmacSha256(std::string_view key, std::string_view message);

/// Takes the same time wherever the two differ; only their lengths show.
bool EqualInConstantTime(std::string_view a, std::string_view b);

}  // namespace mlprof
