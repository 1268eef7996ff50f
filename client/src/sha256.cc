#include "client/src/sha256.h"

#include <openssl/evp.h>

#include <array>

namespace mlprof {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}

void Sha256::Feed(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::HexDigest() {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

}  // namespace mlprof
