// mlprof-agent --socket PATH: process 1 of a scoring container. Connects out to the controller's
// Unix socket and does what it asks until the connection ends.
// mlprof-agent --copy-tree FROM TO BYTES ENTRIES: copies a prepared environment into an image.
// mlprof-agent --null-server PORT: a stand-in for a model, which it can always be told to start.
// mlprof-agent --forward PORT SOCKET: carries connections to PORT on loopback to a Unix socket,
// from the background, while packages are installed.
#include <sys/prctl.h>

#include <charconv>
#include <cstdio>
#include <cstring>

#include "agent/app/agent.h"
#include "agent/copy_tree/copy_tree.h"
#include "agent/forward/forward.h"
#include "agent/link/connect_unix.h"
#include "agent/null_server/null_server.h"
#include "common/os/descriptor_limit.h"

namespace mlprof::agent {
namespace {

int Report(const Status& status) {
  if (status) return 0;
  std::fprintf(stderr, "mlprof-agent: %s\n", status.error().message().c_str());
  return 1;
}

Result<int> ParsePort(const char* text) {
  int port = 0;
  const char* const end = text + std::strlen(text);
  const auto [parsed, error] = std::from_chars(text, end, port);
  if (error != std::errc() || parsed != end || port < 1 || port > 65535) {
    return Fail(InvalidArgument(std::string("not a port: ") + text));
  }
  return port;
}

int RunNullServer(const char* port_text) {
  const Result<int> port = ParsePort(port_text);
  return Report(port ? ServeNothing(*port) : Fail(port.error()));
}

int RunForward(const char* port_text, const char* socket) {
  const Result<int> port = ParsePort(port_text);
  return Report(port ? ForwardInBackground(*port, socket) : Fail(port.error()));
}

int Main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--version") {
    std::puts("mlprof-agent " MLPROF_VERSION);
    return 0;
  }
  if (option == "--null-server" && argc == 3) return RunNullServer(argv[2]);
  if (option == "--copy-tree") return RunCopyTree(argc - 2, argv + 2);
  if (option == "--forward" && argc == 4) return RunForward(argv[2], argv[3]);
  if (option != "--socket" || argc != 3) {
    std::fputs(
        "usage: mlprof-agent --socket PATH | --null-server PORT | --forward PORT SOCKET | "
        "--copy-tree FROM TO BYTES ENTRIES\n",
        stderr);
    return 2;
  }
  // The model must not look into this process, even under the same user.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  RaiseDescriptorLimit();
  auto socket = ConnectUnix(argv[2]);
  return Report(socket ? Agent::Serve(std::move(*socket)) : Fail(socket.error()));
}

}  // namespace
}  // namespace mlprof::agent

int main(int argc, char** argv) { return mlprof::agent::Main(argc, argv); }
