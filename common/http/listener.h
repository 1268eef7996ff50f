// Accepts TCP connections at one address, plain or for TLS, and goes on doing so whatever happens:
// without descriptors left it makes room, or turns clients away, and takes the next one as soon as
// there are some. On the I/O thread but for Open() and Start(), which come before that thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/async/asio.h"
#include "common/http/tls.h"
#include "common/os/unique_fd.h"
#include "common/result/result.h"

namespace mlprof {

/// One descriptor kept back. Where the process or the system has no other left, a client that waits
/// to be accepted can still be told so, and does not wait for ever. One thread.
class SpareDescriptor {
 public:
  SpareDescriptor() { Keep(); }

  /// Accepts one client of the listening socket in place of the spare descriptor, writes `words` to
  /// it (as far as that goes without waiting) and ends the connection. False where even that
  /// failed: there is no spare, or it went to somebody else.
  bool TurnAway(int listening, std::string_view words);

 private:
  void Keep();

  UniqueFd spare_;
};

struct ListenerHooks {
  /// `context`: what the connection does its TLS handshake with; null for none.
  std::function<void(net::ip::tcp::socket, const net::ip::address& peer, const TlsContext* context)>
      accepted;
  /// There is no descriptor for a client that waits: closes another connection, if there is one.
  std::function<bool()> make_room;
  /// A client was turned away for want of descriptors.
  std::function<void()> turned_away;
  /// What such a client is answered; over TLS it is not.
  std::string no_descriptor;
};

class Listener {
 public:
  Listener(net::io_context& io, std::shared_ptr<const TlsContext> context, ListenerHooks hooks);

  /// Binds and listens; `port` 0 takes a free one. kInvalidArgument for what is no IP address,
  /// kUnavailable where it is taken.
  Status Open(const std::string& address, unsigned short port);
  void Start() { AwaitClients(); }
  void Close();
  /// 0 before Open().
  unsigned short port() const { return port_; }

 private:
  enum class Turn { kAnother, kNobody, kPause };

  void AwaitClients();
  void Pause();
  void TakeClients();
  Turn TakeOne();
  bool Accept();
  Turn OnNoDescriptor(int error);
  void Hand(int descriptor, const net::ip::tcp::endpoint& peer);
  void Warn(int error);

  net::io_context& io_;
  net::ip::tcp::acceptor acceptor_;
  net::steady_timer pause_;
  std::shared_ptr<const TlsContext> context_;
  const ListenerHooks hooks_;
  SpareDescriptor spare_;
  std::optional<std::chrono::steady_clock::time_point> warned_;
  unsigned short port_ = 0;
};

}  // namespace mlprof
