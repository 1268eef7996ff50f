// SHA-256, in one go or piece by piece, and HMAC-SHA-256.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace mlprof {

/// Piece by piece. Not thread-safe; one digest an object.
class Sha256 {
 public:
  Sha256();

  void Add(std::string_view bytes);
  /// 64 lower-case hex digits. Call once, at the end.
  std::string Hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string Sha256Hex(std::string_view bytes);
/// Lower-case hex digits, two a byte.
std::string ToHex(std::span<const unsigned char> bytes);

/// HMAC-SHA-256 (RFC 2104), for what the server signs and asks for again: 32 raw bytes.
std::string HmacSha256(std::string_view key, std::string_view message);

/// Takes the same time wherever the two differ; only their lengths show.
bool EqualInConstantTime(std::string_view a, std::string_view b);

}  // namespace mlprof
