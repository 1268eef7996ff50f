#include "server/runtime/unix_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace mlprof::server {

std::size_t LongestSocketPath() { return sizeof(sockaddr_un::sun_path) - 1; }

Status MakeSocketFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  std::filesystem::create_directories(folder, error);
  if (error) return Fail(FromErrno(error.value(), "cannot make " + folder.string()));
  if (::chmod(folder.c_str(), 0700) != 0) {
    return Fail(FromErrno(errno, "cannot close " + folder.string()));
  }
  return {};
}

Result<UniqueFd> ListenAt(const std::filesystem::path& path, int backlog) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() > LongestSocketPath()) {
    return Fail(InvalidArgument("the socket path " + text + " is over 107 bytes long; choose a " +
                                "shorter data directory"));
  }
  std::memcpy(address.sun_path, text.data(), text.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return Fail(FromErrno(errno, "cannot make a socket"));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Fail(FromErrno(errno, "cannot bind " + text));
  }
  if (::chmod(text.c_str(), 0666) != 0) return Fail(FromErrno(errno, "cannot open up " + text));
  if (::listen(fd.get(), backlog) != 0) return Fail(FromErrno(errno, "cannot listen at " + text));
  return fd;
}

}  // namespace mlprof::server
