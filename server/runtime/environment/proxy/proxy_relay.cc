#include "server/runtime/environment/proxy/proxy_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "server/runtime/environment/proxy/relay_io.h"
#include "server/runtime/unix_listener.h"

namespace mlprof::server::environment {
namespace {

// pip uses one or two; more wait in the listener's queue.
constexpr std::size_t kMostConnections = 32;

// Marks a connection as over however its thread ends; the accepting thread then removes it in its
// next turn.
class SetAtEnd {
 public:
  explicit SetAtEnd(std::atomic<bool>& flag) : flag_(flag) {}
  ~SetAtEnd() { flag_ = true; }
  SetAtEnd(const SetAtEnd&) = delete;
  SetAtEnd& operator=(const SetAtEnd&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

ProxyRelay::ProxyRelay(HttpProxy proxy, RelayPolicy policy, std::filesystem::path socket,
                       UniqueFd listener)
    : proxy_(std::move(proxy)),
      policy_(std::move(policy)),
      socket_(std::move(socket)),
      listener_(std::move(listener)) {}

Result<std::unique_ptr<ProxyRelay>> ProxyRelay::Start(HttpProxy proxy, RelayPolicy policy,
                                                      std::filesystem::path socket) {
  Result<UniqueFd> listener = ListenAt(socket, static_cast<int>(kMostConnections));
  if (!listener) return Fail(listener.error());
  std::unique_ptr<ProxyRelay> relay(
      new ProxyRelay(std::move(proxy), std::move(policy), std::move(socket), *std::move(listener)));
  Result<std::jthread> accepting = StartThread(
      "proxy relay", [self = relay.get()](const std::stop_token& stop) { self->Accept(stop); });
  if (!accepting) return Fail(accepting.error());
  relay->accepting_ = *std::move(accepting);
  return relay;
}

ProxyRelay::~ProxyRelay() {
  accepting_.request_stop();
  if (accepting_.joinable()) accepting_.join();
  // All are told before the first is waited for.
  for (Connection& connection : connections_) connection.thread.request_stop();
  connections_.clear();
  std::error_code ignored;
  std::filesystem::remove(socket_, ignored);
}

void ProxyRelay::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    connections_.remove_if([](const Connection& connection) { return connection.over.load(); });
    const bool full = connections_.size() >= kMostConnections;
    pollfd waiting{full ? -1 : listener_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(kRelayLook.count())) <= 0) continue;
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) {
      Serve(std::move(client));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      // Without descriptors or memory the connection stays in the queue: poll() would report it at
      // once again, so this thread sleeps.
      std::this_thread::sleep_for(kRelayLook);
    }
  }
}

void ProxyRelay::Serve(UniqueFd client) {
  Connection& connection = connections_.emplace_back();
  // A std::function must be copyable, which a UniqueFd is not: hence the shared pointer.
  auto held = std::make_shared<UniqueFd>(std::move(client));
  Result<std::jthread> thread = StartThread("proxy relay's connection",
                                            [this, held, &connection](const std::stop_token& stop) {
                                              const SetAtEnd over(connection.over);
                                              ServeRelayed(std::move(*held), proxy_, policy_, stop);
                                            });
  if (thread) {
    connection.thread = *std::move(thread);
    return;
  }
  connections_.pop_back();
  LogWarn("a package's connection to the proxy is dropped", {{"why", thread.error().message()}});
}

}  // namespace mlprof::server::environment
