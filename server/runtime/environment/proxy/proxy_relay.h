// Lends a proxy to one container: a Unix socket that is mounted into it, and behind it a relay that
// lets packages be fetched and nothing else (relay_rules.h). The proxy's login stays here.
#pragma once

#include <atomic>
#include <filesystem>
#include <list>
#include <memory>
#include <thread>

#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "server/runtime/environment/proxy/relay_exchange.h"

namespace mlprof::server::environment {

class ProxyRelay {
 public:
  /// Listens at `socket`, whose folder must exist, and serves from threads of its own.
  static Result<std::unique_ptr<ProxyRelay>> Start(HttpProxy proxy, RelayPolicy policy,
                                                   std::filesystem::path socket);
  /// Ends all connections and waits for their threads; removes the socket.
  ~ProxyRelay();
  ProxyRelay(const ProxyRelay&) = delete;
  ProxyRelay& operator=(const ProxyRelay&) = delete;

 private:
  struct Connection {
    std::atomic<bool> over = false;
    std::jthread thread;
  };

  ProxyRelay(HttpProxy proxy, RelayPolicy policy, std::filesystem::path socket, UniqueFd listener);
  void Accept(const std::stop_token& stop);
  void Serve(UniqueFd client);

  const HttpProxy proxy_;
  const RelayPolicy policy_;
  const std::filesystem::path socket_;
  const UniqueFd listener_;
  std::list<Connection> connections_;  // the accepting thread's own
  std::jthread accepting_;
};

}  // namespace mlprof::server::environment
