// mlprof-agent --socket PATH: process 1 of a scoring container. Connects out to the controller's
// Unix socket and does what it asks until the connection ends.
// mlprof-agent --socket-fd FD [--process-tree]: the same over a connected socket that it was
// started with; --process-tree where the model has no cgroup of its own. mlprof-agent --sandbox:
// makes what the plan on its stdin says, and keeps it. mlprof-agent --copy-tree FROM TO BYTES
// ENTRIES: copies a prepared environment into an image. mlprof-agent --null-server PORT: a stand-in
// for a model, which it can always be told to start. mlprof-agent --forward PORT SOCKET: carries
// connections to PORT on loopback to a Unix socket, from the background, while packages are
// installed.
#include <fcntl.h>
#include <sys/prctl.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "agent/app/agent.h"
#include "agent/copy_tree/copy_tree.h"
#include "agent/forward/forward.h"
#include "agent/link/connect_unix.h"
#include "agent/null_server/null_server.h"
#include "agent/sandbox/keeper.h"
#include "common/os/descriptor_limit.h"

namespace mlprof::agent {
namespace {

int Report(const Status& status) {
  if (status) return 0;
  std::fprintf(stderr, "mlprof-agent: %s\n", status.error().message().c_str());
  return 1;
}

Result<int> ParseNumber(const char* text, const char* what) {
  int number = 0;
  const char* const end = text + std::strlen(text);
  const auto [parsed, error] = std::from_chars(text, end, number);
  if (error != std::errc() || parsed != end || number < 1 || number > 65535) {
    return Fail(InvalidArgument("not a " + std::string(what) + ": " + text));
  }
  return number;
}

int RunNullServer(const char* port_text) {
  const Result<int> port = ParseNumber(port_text, "port");
  return Report(port ? ServeNothing(*port) : Fail(port.error()));
}

int RunForward(const char* port_text, const char* socket) {
  const Result<int> port = ParseNumber(port_text, "port");
  return Report(port ? ForwardInBackground(*port, socket) : Fail(port.error()));
}

int Serve(UniqueFd socket, MeasuredBy measured_by) {
  // The model must not look into this process, even under the same user.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  RaiseDescriptorLimit();
  return Report(Agent::Serve(std::move(socket), measured_by));
}

int ServeInherited(int count, char** words) {
  const Result<int> fd = ParseNumber(words[0], "descriptor");
  if (!fd) return Report(Fail(fd.error()));
  ::fcntl(*fd, F_SETFD, FD_CLOEXEC);
  const bool tree = count == 2 && std::string_view(words[1]) == "--process-tree";
  return Serve(UniqueFd(*fd), tree ? MeasuredBy::kProcessTree : MeasuredBy::kCgroup);
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
  if (option == "--sandbox" && argc == 2) return Report(KeepSandbox());
  if (option == "--socket-fd" && argc >= 3) return ServeInherited(argc - 2, argv + 2);
  if (option != "--socket" || argc != 3) {
    std::fputs(
        "usage: mlprof-agent --socket PATH | --socket-fd FD [--process-tree] | --sandbox | "
        "--null-server PORT | --forward PORT SOCKET | --copy-tree FROM TO BYTES ENTRIES\n",
        stderr);
    return 2;
  }
  auto socket = ConnectUnix(argv[2]);
  return socket ? Serve(std::move(*socket), MeasuredBy::kCgroup) : Report(Fail(socket.error()));
}

}  // namespace
}  // namespace mlprof::agent

int main(int argc, char** argv) { return mlprof::agent::Main(argc, argv); }
