#include "tests/targets/plain_http.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

std::size_t ContentLength(const std::string& head) {
  const char* const at = ::strcasestr(head.c_str(), "\r\ncontent-length:");
  return at == nullptr ? 0 : std::strtoul(at + 17, nullptr, 10);
}

}  // namespace

std::size_t ReadRequest(int fd, std::string& bytes) {
  std::array<char, 65536> piece;
  std::size_t size = 0;
  while (size == 0 || bytes.size() < size) {
    if (const std::size_t end = bytes.find("\r\n\r\n"); end != std::string::npos) {
      size = end + 4 + ContentLength(bytes.substr(0, end + 2));
      if (bytes.size() >= size) break;
    }
    const ssize_t n = ::recv(fd, piece.data(), piece.size(), 0);
    if (n <= 0) return 0;
    bytes.append(piece.data(), static_cast<std::size_t>(n));
  }
  return size;
}

int ServeConnections(const char* program, in_addr_t address, int port,
                     const std::function<void(int fd)>& serve) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(address);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 ||
      ::listen(listener, 1024) != 0) {
    std::perror(program);
    return 1;
  }
  while (true) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd < 0) continue;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    std::thread(serve, fd).detach();
  }
}
