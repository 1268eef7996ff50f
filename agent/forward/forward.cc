#include "agent/forward/forward.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "agent/link/connect_unix.h"
#include "common/os/byte_pump.h"

namespace mlprof::agent {
namespace {

// A last resort: the controller's end closes an idle connection after ten minutes
// (server/runtime/environment/proxy/relay_exchange.cc).
constexpr std::chrono::hours kIdleLimit{1};

Result<UniqueFd> ListenOnLoopback(int port) {
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return Fail(FromErrno(errno, "listening on port " + std::to_string(port)));
  }
  return listener;
}

void Carry(const UniqueFd& client, const std::string& socket) {
  const auto controller = ConnectUnix(socket);
  if (controller) {
    PumpBytes(client.get(), controller->get(), PumpWays::kBoth, kIdleLimit);
  }
}

// One process for each connection: they share nothing, and the container's bound on processes
// bounds the connections too.
[[noreturn]] void Serve(const UniqueFd& listener, const std::string& socket) {
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for them
  while (true) {
    const UniqueFd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      ::usleep(10'000);  // out of descriptors or memory for now
      continue;
    }
    if (::fork() != 0) continue;
    Carry(client, socket);
    ::_exit(0);
  }
}

}  // namespace

Status ForwardInBackground(int port, const std::string& socket) {
  MLPROF_LET(listener, ListenOnLoopback(port));
  const pid_t pid = ::fork();
  if (pid < 0) return Fail(FromErrno(errno, "starting the forwarder"));
  if (pid == 0) Serve(listener, socket);
  return {};
}

}  // namespace mlprof::agent
