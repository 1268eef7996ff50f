#include "server/tls/openssl.h"

#include <openssl/err.h>

#include <array>

namespace mlprof::server {

Error OpenSslError(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
  ERR_clear_error();
  return Internal(what + ": " + text.data());
}

}  // namespace mlprof::server
