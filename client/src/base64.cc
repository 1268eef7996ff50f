#include "client/src/base64.h"

#include <openssl/evp.h>

namespace mlprof {

std::string EncodeBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

Result<std::string> DecodeBase64(std::string_view text) {
  if (text.empty()) return std::string();
  std::string out(text.size() / 4 * 3 + 3, '\0');
  const int length = text.size() % 4 != 0
                         ? -1
                         : EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                           reinterpret_cast<const unsigned char*>(text.data()),
                                           static_cast<int>(text.size()));
  if (length < 0) return Fail(InvalidArgument("not base64"));
  // EVP counts the padding as zero bytes of content.
  std::size_t padding = 0;
  while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  out.resize(static_cast<std::size_t>(length) - padding);
  return out;
}

}  // namespace mlprof
