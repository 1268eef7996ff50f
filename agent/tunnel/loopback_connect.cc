#include "agent/tunnel/loopback_connect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace mlprof::agent {
namespace {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress AddressOf(Loopback address, int port) {
  SocketAddress result;
  if (address == Loopback::kIpv4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<std::uint16_t>(port));
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    result.size = sizeof(in);
    std::memcpy(&result.storage, &in, sizeof(in));
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(static_cast<std::uint16_t>(port));
    in.sin6_addr = in6addr_loopback;
    result.size = sizeof(in);
    std::memcpy(&result.storage, &in, sizeof(in));
  }
  return result;
}

bool MetItself(int fd) {
  SocketAddress here;
  SocketAddress there;
  if (::getsockname(fd, here.get(), &here.size) != 0) return false;
  if (::getpeername(fd, there.get(), &there.size) != 0) return false;
  return here.size == there.size && std::memcmp(&here.storage, &there.storage, here.size) == 0;
}

}  // namespace

UniqueFd BeginConnect(Loopback address, int port) {
  SocketAddress where = AddressOf(address, port);
  UniqueFd fd(::socket(where.get()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return {};
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (::connect(fd.get(), where.get(), where.size) == 0 || errno == EINPROGRESS) return fd;
  const int error = errno;
  fd.Reset();
  errno = error;
  return {};
}

int FailedConnect(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error == 0 && MetItself(fd) ? ECONNREFUSED : error;
}

}  // namespace mlprof::agent
