#include "server/runtime/environment/proxy/relay_io.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace mlprof::server::environment {
namespace {

Status WaitFor(int fd, short events, const Patience& patience) {
  while (true) {
    if (patience.stop.stop_requested()) return Fail(Cancelled("stopped"));
    if (patience.deadline.Passed()) return Fail(DeadlineExceeded("no response in time"));
    pollfd waiting{fd, events, 0};
    const auto slice = std::min<std::chrono::milliseconds>(patience.deadline.LeftMs(), kRelayLook);
    const int ready = ::poll(&waiting, 1, static_cast<int>(slice.count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return Fail(FromErrno(errno, "cannot wait for a socket"));
  }
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

SocketAddress SocketAddressOf(const IpAddress& ip, unsigned short port) {
  SocketAddress address;
  const auto& bytes = ip.bytes();
  if (ip.IsV4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, bytes.data() + bytes.size() - sizeof v4.sin_addr, sizeof v4.sin_addr);
    std::memcpy(&address.storage, &v4, sizeof v4);
    address.size = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
    std::memcpy(&address.storage, &v6, sizeof v6);
    address.size = sizeof v6;
  }
  return address;
}

Result<UniqueFd> ConnectToOne(const IpAddress& ip, unsigned short port, const Patience& patience) {
  const SocketAddress address = SocketAddressOf(ip, port);
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return Fail(FromErrno(errno, "cannot make a socket"));
  const auto* where = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(fd.get(), where, address.size) == 0) return fd;
  if (errno != EINPROGRESS) return Fail(FromErrno(errno, "cannot connect"));
  MLPROF_TRY(WaitFor(fd.get(), POLLOUT, patience));
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return Fail(FromErrno(error, "cannot connect"));
  return fd;
}

}  // namespace

Status SendAll(int fd, std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    MLPROF_TRY(WaitFor(fd, POLLOUT, patience));
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (!WouldBlock()) {
      return Fail(FromErrno(errno, "cannot send"));
    }
  }
  return {};
}

Result<HeadAndMore> ReceiveHead(int fd, std::size_t longest, const Patience& patience) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::string text;
  char buffer[4096];
  while (true) {
    MLPROF_TRY(WaitFor(fd, POLLIN, patience));
    const ssize_t count = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count == 0) return Fail(Unavailable("the connection was closed"));
    if (count < 0 && WouldBlock()) continue;
    if (count < 0) return Fail(FromErrno(errno, "cannot receive"));
    const std::size_t from = text.size() < kEnd.size() ? 0 : text.size() - kEnd.size();
    text.append(buffer, static_cast<std::size_t>(count));
    const std::size_t end = text.find(kEnd, from);
    const std::size_t size = end == std::string::npos ? text.size() : end + kEnd.size();
    if (size > longest) return Fail(ErrorCode::kTooLarge, "the head is too large");
    if (end != std::string::npos) return HeadAndMore{text.substr(0, size), text.substr(size)};
  }
}

Result<UniqueFd> ConnectTo(const std::vector<IpAddress>& addresses, unsigned short port,
                           const Patience& patience) {
  Result<UniqueFd> connected = Fail(Unavailable("its name means no address"));
  for (const IpAddress& address : addresses) {
    connected = ConnectToOne(address, port, patience);
    if (connected || patience.stop.stop_requested()) return connected;
  }
  return connected;
}

}  // namespace mlprof::server::environment
