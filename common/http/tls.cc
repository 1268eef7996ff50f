#include "common/http/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
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

namespace {

// How much is encrypted before others get their turn.
constexpr std::size_t kWriteTurn = 256 << 10;

int SocketOf(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int ReadSocket(BIO* bio, char* into, int room) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = ::recv(SocketOf(bio), into, static_cast<std::size_t>(room), 0);
  if (count < 0 && WouldBlock()) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

int WriteSocket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = ::send(SocketOf(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && WouldBlock()) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* MakeSocketMethod() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method, &ReadSocket);
  BIO_meth_set_write(method, &WriteSocket);
  BIO_meth_set_ctrl(method, &Control);
  return method;
}

// OpenSSL's own raises SIGPIPE where the peer has gone.
BIO* SocketBio(int& socket) {
  static BIO_METHOD* const method = MakeSocketMethod();
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, &socket);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace

void TlsSession::Free::operator()(ssl_st* session) const { SSL_free(session); }

TlsSession::TlsSession(const TlsContext& context, int socket)
    : socket_(socket), session_(SSL_new(context.get())) {
  BIO* bio = session_ ? SocketBio(socket_) : nullptr;
  broken_ = bio == nullptr;
  if (broken_) return;
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_accept_state(session_.get());
}

TlsSession::Step TlsSession::StepAfter(int result) {
  if (result > 0) return Step::kDone;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ: return Step::kWantsRead;
    case SSL_ERROR_WANT_WRITE: return Step::kWantsWrite;
    case SSL_ERROR_ZERO_RETURN: return Step::kEnded;
    default: broken_ = true; return Step::kEnded;
  }
}

TlsSession::Step TlsSession::Handshake() {
  if (broken_) return Step::kEnded;
  ERR_clear_error();
  return StepAfter(SSL_do_handshake(session_.get()));
}

TlsSession::Step TlsSession::Read(std::span<char> into, std::size_t& count) {
  count = 0;
  if (broken_) return Step::kEnded;
  while (count < into.size()) {
    std::size_t more = 0;
    ERR_clear_error();
    const Step step =
        StepAfter(SSL_read_ex(session_.get(), into.data() + count, into.size() - count, &more));
    if (step != Step::kDone) return count > 0 ? Step::kDone : step;
    count += more;
  }
  return Step::kDone;
}

TlsSession::Step TlsSession::Write(std::string_view bytes, std::size_t& count) {
  count = 0;
  if (broken_) return Step::kEnded;
  while (count < bytes.size() && count < kWriteTurn) {
    std::size_t more = 0;
    ERR_clear_error();
    const Step step =
        StepAfter(SSL_write_ex(session_.get(), bytes.data() + count, bytes.size() - count, &more));
    if (step != Step::kDone) return step;
    count += more;
  }
  return Step::kDone;
}

bool TlsSession::HasUnread() const { return !broken_ && SSL_pending(session_.get()) > 0; }

void TlsSession::SayEnd() {
  if (broken_ || said_end_ || !SSL_is_init_finished(session_.get())) return;
  said_end_ = true;
  ERR_clear_error();
  SSL_shutdown(session_.get());
}

}  // namespace mlprof
