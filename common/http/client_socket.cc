#include "common/http/client_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace mlprof {
namespace {

constexpr std::chrono::milliseconds kBacklogPause{5};

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;
  std::string name;  // for messages
};

Result<Address> Resolve(const UnixEndpoint& endpoint) {
  Address address;
  address.name = endpoint.path;
  sockaddr_un unix_address = {};
  unix_address.sun_family = AF_UNIX;
  if (endpoint.path.empty() || endpoint.path.size() >= sizeof unix_address.sun_path) {
    return Fail(InvalidArgument("'" + endpoint.path + "' cannot be the path of a socket: " +
                                "1 to 107 bytes are possible"));
  }
  std::memcpy(unix_address.sun_path, endpoint.path.data(), endpoint.path.size());
  std::memcpy(&address.storage, &unix_address, sizeof unix_address);
  address.length = sizeof unix_address;
  return address;
}

Result<Address> Resolve(const TcpEndpoint& endpoint) {
  Address address;
  address.name = endpoint.host + ":" + std::to_string(endpoint.port);
  const std::string host = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host;
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(endpoint.port);
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(endpoint.port);
  if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    std::memcpy(&address.storage, &v4, sizeof v4);
    address.length = sizeof v4;
  } else if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    std::memcpy(&address.storage, &v6, sizeof v6);
    address.length = sizeof v6;
  } else {
    return Fail(InvalidArgument("'" + endpoint.host + "' is not an IP address"));
  }
  return address;
}

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace

ClientSocket::ClientSocket(int descriptor, std::stop_token stop)
    : descriptor_(descriptor),
      wake_(stop.stop_possible() ? ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1),
      stop_(std::move(stop)) {}

ClientSocket::ClientSocket(ClientSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      wake_(std::exchange(other.wake_, -1)),
      stop_(std::move(other.stop_)) {}

ClientSocket::~ClientSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (wake_ >= 0) ::close(wake_);
}

Result<ClientSocket> ClientSocket::Connect(const HttpEndpoint& endpoint, Deadline deadline,
                                           std::stop_token stop) {
  const auto address = std::visit([](const auto& where) { return Resolve(where); }, endpoint);
  if (!address) return Fail(address.error());
  const int family = address->storage.ss_family;
  ClientSocket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                      std::move(stop));
  const int why = errno;
  if (socket.descriptor_ < 0 && why != EMFILE && why != ENFILE) {
    return Fail(FromErrno(why, "cannot open a socket"));
  }
  // Without the second a stop would not be noticed before the deadline.
  if (socket.descriptor_ < 0 || (socket.stop_.stop_possible() && socket.wake_ < 0)) {
    return Fail(Unavailable("cannot open a connection: the limit of open files is reached"));
  }
  const auto refused = [&](int error) {
    return Fail(Unavailable("cannot connect to " + address->name + ": " + ErrnoText(error)));
  };
  const int yes = 1;
  if (family != AF_UNIX) {
    ::setsockopt(socket.descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  const auto* raw = reinterpret_cast<const sockaddr*>(&address->storage);
  while (::connect(socket.descriptor_, raw, address->length) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINPROGRESS) {
      if (auto ready = socket.Wait(true, deadline); !ready) return Fail(ready.error());
      break;
    }
    // A Unix socket whose backlog is full has nothing to wait on but time.
    if (errno != EAGAIN) return refused(errno);
    if (deadline.Passed()) return Fail(DeadlineExceeded("no response from " + address->name));
    if (socket.stop_.stop_requested()) return Fail(Cancelled("stopped"));
    ::poll(nullptr, 0, static_cast<int>(kBacklogPause.count()));
  }
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(socket.descriptor_, SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return refused(error);
  return socket;
}

Result<ClientSocket::Readiness> ClientSocket::Wait(bool want_write, Deadline deadline) const {
  const int wake = wake_;
  const std::stop_callback ring(stop_, [wake] { ::eventfd_write(wake, 1); });
  const short events = static_cast<short>(want_write ? POLLIN | POLLOUT : POLLIN);
  while (true) {
    if (stop_.stop_requested()) return Fail(Cancelled("stopped"));
    if (deadline.Passed()) return Fail(DeadlineExceeded("no response in time"));
    pollfd polled[] = {{descriptor_, events, 0}, {wake_, POLLIN, 0}};
    constexpr std::chrono::milliseconds kLongest{60'000};  // poll takes an int
    const int left = static_cast<int>(std::min(deadline.LeftMs(), kLongest).count());
    const int count = ::poll(polled, 2, left);
    if (count < 0 && errno != EINTR) return Fail(FromErrno(errno, "poll"));
    const int seen = polled[0].revents;
    if (count <= 0 || seen == 0) continue;
    const bool broken = (seen & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    return Readiness{broken || (seen & POLLIN) != 0, (seen & POLLOUT) != 0};
  }
}

Result<std::optional<std::size_t>> ClientSocket::Read(char* into, std::size_t room) {
  const ssize_t count = ::recv(descriptor_, into, room, 0);
  if (count >= 0) return std::optional(static_cast<std::size_t>(count));
  if (errno == EAGAIN || errno == EINTR) return std::optional<std::size_t>();
  return Fail(Unavailable("the connection broke: " + ErrnoText(errno)));
}

std::optional<std::size_t> ClientSocket::Write(std::string_view bytes) {
  const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return std::nullopt;
}

}  // namespace mlprof
