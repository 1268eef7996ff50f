// A port of the imitated model's, and connections to it, as the agent's link carries them.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

/// What the server of a port answers to bytes it is sent, as they come. It sends its end behind
/// the client's.
using FakeServer = std::function<std::string(std::string_view heard)>;

/// The ports of one imitated container. Nothing listens before the model is ready; its end, and
/// that of the link, breaks all connections with that reason. Thread-safe.
class FakePorts {
 public:
  explicit FakePorts(std::map<int, FakeServer> servers) : servers_(std::move(servers)) {}
  ~FakePorts();

  void Listen();
  void End(const Error& why);
  Result<std::unique_ptr<PortStream>> Connect(int port);

 private:
  friend class FakePortStream;
  /// Outlived by its stream alone.
  struct Connection {
    std::mutex mutex;
    std::condition_variable changed;
    FakeServer server;
    std::string inbox;
    bool ended = false;   // by the client
    bool closed = false;  // by the client, both ways
    std::optional<Error> over;
  };

  const std::map<int, FakeServer> servers_;
  std::mutex mutex_;
  bool listening_ = false;
  std::optional<Error> over_;
  std::list<std::weak_ptr<Connection>> connections_;
};

}  // namespace mlprof::server
