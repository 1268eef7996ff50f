#include "common/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <string>
#include <string_view>

namespace mlprof {
namespace {

// As it goes over the wire: the length, then the name.
constexpr std::string_view kHttp11 = "\x08http/1.1";
// TLS 1.3 has no others.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

// A client that offers protocols must offer ours: no other may be talked to over this certificate.
int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned int offered_size, void*) {
  const auto* ours = reinterpret_cast<const unsigned char*>(kHttp11.data());
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(
      &chosen, out_size, ours, static_cast<unsigned int>(kHttp11.size()), offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// An encrypted key must fail, and not ask at the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

std::string LastError() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

void Restrict(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, kTls12Ciphers);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, &SelectProtocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, &NoPassword);
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<std::shared_ptr<const TlsContext>> TlsContext::ForServer(
    const std::filesystem::path& certificate, const std::filesystem::path& key) {
  ERR_clear_error();
  auto made = std::make_shared<TlsContext>();
  made->context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = made->get();
  if (context == nullptr) return Fail(Internal("TLS cannot be set up: " + LastError()));
  Restrict(context);
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return Fail(InvalidArgument("the certificate " + certificate.string() +
                                " cannot be used (PEM is expected): " + LastError()));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Fail(InvalidArgument("the key " + key.string() + " cannot be used with " +
                                certificate.string() +
                                " (PEM without a password is expected): " + LastError()));
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

}  // namespace mlprof
