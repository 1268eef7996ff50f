#include "agent/link/connect_unix.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace mlprof::agent {

Result<UniqueFd> ConnectUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return Fail(InvalidArgument("the socket's path is longer than 107 bytes: " + path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return Fail(FromErrno(errno, "opening a socket"));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Fail(FromErrno(errno, "connecting to " + path));
  }
  return socket;
}

}  // namespace mlprof::agent
