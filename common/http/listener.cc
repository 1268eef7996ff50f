#include "common/http/listener.h"

#include <fcntl.h>

#include <utility>

#include "common/log/log.h"

namespace mlprof {
namespace {

using boost::system::error_code;
using net::ip::tcp;

// Out of descriptors or memory: accepting again at once would only burn the CPU.
constexpr std::chrono::milliseconds kAcceptPause{100};

void CloseOnExec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace

Listener::Listener(net::io_context& io, std::shared_ptr<const TlsContext> context,
                   Accepted accepted)
    : acceptor_(io), pause_(io), context_(std::move(context)), accepted_(std::move(accepted)) {}

Status Listener::Open(const std::string& address, unsigned short port) {
  error_code error;
  const auto ip = net::ip::make_address(address, error);
  if (error) return Fail(InvalidArgument("'" + address + "' is not an IP address"));
  const tcp::endpoint endpoint(ip, port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) {
    return Fail(Unavailable("cannot listen on " + address + ":" + std::to_string(port) + ": " +
                            error.message()));
  }
  CloseOnExec(acceptor_.native_handle());
  return {};
}

void Listener::Accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      CloseOnExec(socket.native_handle());
      accepted_(std::move(socket), context_.get());
      return Accept();
    }
    LogWarn("cannot accept a connection", {{"error", error.message()}});
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code cancelled) {
      if (!cancelled && acceptor_.is_open()) Accept();
    });
  });
}

void Listener::Close() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

}  // namespace mlprof
