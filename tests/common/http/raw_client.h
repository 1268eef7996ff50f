// A TCP client that sends bytes as they are and reads with a time limit, for tests of the server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace mlprof {

class RawClient {
 public:
  explicit RawClient(unsigned short port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// False once the server has closed.
  bool Send(std::string_view bytes);
  void ShutdownSend();
  /// Closes, so that the server sees a reset where it still sends.
  void Vanish();
  /// Reads up to and including `mark`; what came where the connection ended or 5 s passed.
  std::string ReadUntil(std::string_view mark);
  /// One response with Content-Length, head and body.
  std::string ReadResponse();
  std::string ReadToEnd();

 private:
  bool ReadMore();

  int descriptor_;
  std::string buffer_;
};

inline RawClient::RawClient(unsigned short port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit = {5, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const int yes = 1;  // so that what is sent in pieces arrives in pieces
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) Vanish();
}

inline RawClient::~RawClient() { Vanish(); }

inline bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

inline void RawClient::ShutdownSend() { ::shutdown(descriptor_, SHUT_WR); }

inline void RawClient::Vanish() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

inline bool RawClient::ReadMore() {
  char piece[16384];
  const ssize_t count = ::recv(descriptor_, piece, sizeof piece, 0);
  if (count <= 0) return false;
  buffer_.append(piece, static_cast<std::size_t>(count));
  return true;
}

inline std::string RawClient::ReadUntil(std::string_view mark) {
  std::size_t at = 0;
  while ((at = buffer_.find(mark)) == std::string::npos) {
    if (!ReadMore()) return std::exchange(buffer_, {});
  }
  std::string taken = buffer_.substr(0, at + mark.size());
  buffer_.erase(0, taken.size());
  return taken;
}

inline std::string RawClient::ReadResponse() {
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

inline std::string RawClient::ReadToEnd() {
  while (ReadMore()) {
  }
  return std::exchange(buffer_, {});
}

}  // namespace mlprof
