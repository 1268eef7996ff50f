// mlprof-agent --socket PATH: process 1 of a scoring container. Connects out to the controller's
// Unix socket and does what it asks until the connection ends.
// mlprof-agent --copy-tree FROM TO BYTES ENTRIES: copies a prepared environment into an image.
// mlprof-agent --null-server PORT: a stand-in for a model, which it can always be told to start.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "agent/app/agent.h"
#include "agent/copy_tree/copy_tree.h"
#include "agent/null_server/null_server.h"
#include "common/os/descriptor_limit.h"

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

int Report(const Status& status) {
  if (status) return 0;
  std::fprintf(stderr, "mlprof-agent: %s\n", status.error().message().c_str());
  return 1;
}

int RunNullServer(const char* port_text) {
  int port = 0;
  const char* const end = port_text + std::strlen(port_text);
  const auto [parsed, error] = std::from_chars(port_text, end, port);
  if (error != std::errc() || parsed != end || port < 1 || port > 65535) {
    return Report(Fail(InvalidArgument(std::string("not a port: ") + port_text)));
  }
  return Report(ServeNothing(port));
}

int Main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--version") {
    std::puts("mlprof-agent " MLPROF_VERSION);
    return 0;
  }
  if (option == "--null-server" && argc == 3) return RunNullServer(argv[2]);
  if (option == "--copy-tree") return RunCopyTree(argc - 2, argv + 2);
  if (option != "--socket" || argc != 3) {
    std::fputs(
        "usage: mlprof-agent --socket PATH | --null-server PORT | --copy-tree FROM TO BYTES "
        "ENTRIES\n",
        stderr);
    return 2;
  }
  // The model must not look into this process, even under the same user.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  RaiseDescriptorLimit();
  auto socket = Connect(argv[2]);
  return Report(socket ? Agent::Serve(std::move(*socket)) : Fail(socket.error()));
}

}  // namespace
}  // namespace mlprof::agent

int main(int argc, char** argv) { return mlprof::agent::Main(argc, argv); }
