// mlprof-agent --socket PATH: process 1 of a scoring container. Connects out to the controller's
// Unix socket and does what it asks until the connection ends.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "agent/app/agent.h"

namespace mlprof::agent {
namespace {

Result<UniqueFd> Connect(const std::string& path) {
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

int Main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--version") {
    std::puts("mlprof-agent " MLPROF_VERSION);
    return 0;
  }
  if (option != "--socket" || argc != 3) {
    std::fputs("usage: mlprof-agent --socket PATH\n", stderr);
    return 2;
  }
  // The model must not look into this process, even under the same user.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  auto socket = Connect(argv[2]);
  const Status served = socket ? Agent::Serve(std::move(*socket)) : Fail(socket.error());
  if (served) return 0;
  std::fprintf(stderr, "mlprof-agent: %s\n", served.error().message().c_str());
  return 1;
}

}  // namespace
}  // namespace mlprof::agent

int main(int argc, char** argv) { return mlprof::agent::Main(argc, argv); }
