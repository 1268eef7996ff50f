// A blocking TLS client with a time limit, for tests of the server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mlprof::server {

class TlsClient {
 public:
  /// Trusts `authority` (PEM) alone, and expects 127.0.0.1.
  TlsClient(unsigned short port, const std::filesystem::path& authority);
  ~TlsClient() {
    session_.reset();
    Vanish();
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  /// Whether the handshake succeeded and the certificate was good.
  bool connected() const { return connected_; }
  bool Send(std::string_view bytes);
  /// What came up to the end, or within 5 s.
  std::string ReadToEnd();
  /// One response with Content-Length.
  std::string ReadResponse();
  std::string ReadUntil(std::string_view mark);
  /// After ReadToEnd(): whether the server said that this was the end.
  bool WasToldTheEnd() const {
    return (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  /// Closes without a word.
  void Vanish();
  int descriptor() const { return descriptor_; }

 private:
  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  struct FreeSession {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  bool ReadMore();

  int descriptor_;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  std::unique_ptr<SSL, FreeSession> session_;
  bool connected_ = false;
  std::string buffer_;
};

inline TlsClient::TlsClient(unsigned short port, const std::filesystem::path& authority)
    : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)), context_(SSL_CTX_new(TLS_client_method())) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit = {5, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  SSL_CTX_load_verify_locations(context_.get(), authority.c_str(), nullptr);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  session_.reset(SSL_new(context_.get()));
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), "127.0.0.1");
  SSL_set_fd(session_.get(), descriptor_);
  connected_ = SSL_connect(session_.get()) == 1;
}

inline void TlsClient::Vanish() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

inline bool TlsClient::Send(std::string_view bytes) {
  return SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())) ==
         static_cast<int>(bytes.size());
}

inline bool TlsClient::ReadMore() {
  char piece[16384];
  const int count = SSL_read(session_.get(), piece, sizeof piece);
  if (count <= 0) return false;
  buffer_.append(piece, static_cast<std::size_t>(count));
  return true;
}

inline std::string TlsClient::ReadToEnd() {
  while (ReadMore()) {
  }
  return std::exchange(buffer_, {});
}

inline std::string TlsClient::ReadUntil(std::string_view mark) {
  std::size_t at = 0;
  while ((at = buffer_.find(mark)) == std::string::npos) {
    if (!ReadMore()) return std::exchange(buffer_, {});
  }
  std::string taken = buffer_.substr(0, at + mark.size());
  buffer_.erase(0, taken.size());
  return taken;
}

inline std::string TlsClient::ReadResponse() {
  std::string response = ReadUntil("\r\n\r\n");
  const std::string field = "Content-Length: ";
  const std::size_t at = response.find(field);
  if (at == std::string::npos) return response;
  const std::size_t length = std::strtoul(response.c_str() + at + field.size(), nullptr, 10);
  while (buffer_.size() < length) {
    if (!ReadMore()) break;
  }
  response += buffer_.substr(0, length);
  buffer_.erase(0, length);
  return response;
}

}  // namespace mlprof::server
