// Accepts TCP connections at one address, plain or for TLS. On the I/O thread but for Open() and
// Start(), which come before that thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/async/asio.h"
#include "common/http/tls_context.h"
#include "common/result/result.h"

namespace mlprof {

class Listener {
 public:
  /// `context`: what new connections do their TLS handshake with; null for none.
  using Accepted = std::function<void(net::ip::tcp::socket, const TlsContext* context)>;

  Listener(net::io_context& io, std::shared_ptr<const TlsContext> context, Accepted accepted);

  /// Binds and listens; `port` 0 takes a free one. kInvalidArgument for what is no IP address,
  /// kUnavailable where it is taken.
  Status Open(const std::string& address, unsigned short port);
  void Start() { Accept(); }
  void Close();
  /// 0 before Open().
  unsigned short port() const { return port_; }

 private:
  void Accept();

  net::ip::tcp::acceptor acceptor_;
  net::steady_timer pause_;
  std::shared_ptr<const TlsContext> context_;
  Accepted accepted_;
  unsigned short port_ = 0;
};

}  // namespace mlprof
