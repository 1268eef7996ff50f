#include "server/runtime/process/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "common/os/unique_fd.h"

namespace mlprof::server::process {
namespace {

// The port that was bound, `port` or one that the kernel chose.
Result<int> BindOnce(int port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return Fail(FromErrno(errno, "cannot open a socket"));
  // As servers do: what a former one's connections left behind is no hindrance.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), place, size) != 0) {
    if (errno == EADDRINUSE) return Fail(Conflict("the port is in use"));
    return Fail(FromErrno(errno, "cannot bind a port"));
  }
  ::getsockname(socket.get(), place, &size);
  return ntohs(address.sin_port);
}

}  // namespace

Status CheckPortFree(int port) {
  const Result<int> bound = BindOnce(port);
  // Whether the model may have it at all is between the model and the kernel.
  if (bound || bound.error().code() != ErrorCode::kConflict) return {};
  return Fail(Conflict("port " + std::to_string(port) +
                       " of this machine is in use, and the model shares its network: stop what "
                       "listens there (`ss -ltnp`), or let the model listen at another port (port "
                       "in its inference config, and in its command)"));
}

Result<int> FindFreePort() { return BindOnce(0); }

}  // namespace mlprof::server::process
