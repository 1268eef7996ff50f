// A port of the model's as a Unix socket of this machine, for libraries that dial sockets
// themselves (gRPC's "unix:PATH", curl's --unix-socket).
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "server/runtime/forward/port_stream.h"

namespace mlprof::server {

/// Thread-safe. Each connection takes two threads while it stands; all end with it.
class ForwardedPort {
 public:
  /// A new connection to the port, as Target::Connect gives it. Called from threads of the
  /// ForwardedPort, until it is gone.
  using Dial = std::function<Result<std::unique_ptr<PortStream>>(Deadline deadline)>;

  /// Listens in a folder of its own below `parent`, which must exist; nobody but this user reaches
  /// it (0700). A connection without a byte for `idle` is ended. kInvalidArgument where the path
  /// does not fit a socket's address, kResourceExhausted where there is no thread.
  static Result<std::unique_ptr<ForwardedPort>> Start(const std::filesystem::path& parent,
                                                      Dial dial, std::chrono::milliseconds idle);
  /// Ends all connections, waits for their threads, and removes the folder. One that is being
  /// dialled takes five seconds at most.
  ~ForwardedPort();
  ForwardedPort(const ForwardedPort&) = delete;
  ForwardedPort& operator=(const ForwardedPort&) = delete;

  const std::filesystem::path& socket() const { return socket_; }
  /// Why a client last found its connection closed at once.
  std::optional<Error> last_failure() const;

 private:
  struct Connection {
    std::atomic<bool> over = false;
    std::jthread thread;
  };

  ForwardedPort(std::filesystem::path folder, Dial dial, std::chrono::milliseconds idle);
  Status Open();
  void Accept(const std::stop_token& stop);
  void Serve(UniqueFd client);
  void Carry(int client, const std::stop_token& stop);
  void NoteFailure(const Error& error);

  const std::filesystem::path folder_;
  const std::filesystem::path socket_;
  const Dial dial_;
  const std::chrono::milliseconds idle_;
  UniqueFd listener_;
  mutable std::mutex mutex_;
  std::optional<Error> last_failure_;  // guarded
  std::list<Connection> connections_;  // the accepting thread's own
  std::jthread accepting_;
};

}  // namespace mlprof::server
