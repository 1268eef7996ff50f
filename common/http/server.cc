#include "common/http/server.h"

#include <fcntl.h>

#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>

#include "common/http/connection.h"
#include "common/http/server_core.h"
#include "common/log/log.h"

namespace mlprof {
namespace {

using boost::system::error_code;
using net::ip::tcp;

// Out of descriptors or memory: accepting again at once would only burn the CPU.
constexpr std::chrono::milliseconds kAcceptPause{100};
// Connections above max_connections that still get an answer, a 503.
constexpr std::size_t kRefusedAtATime = 64;

void CloseOnExec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, const Router& router, HttpServerHooks hooks)
      : core_(std::move(options), router, std::move(hooks)),
        acceptor_(core_.io),
        accept_pause_(core_.io),
        work_(core_.io.get_executor()) {}
  ~AsioHttpServer() override { Stop(std::chrono::milliseconds(0)); }

  Status Listen();
  void Run();
  unsigned short port() const override { return port_; }
  void Stop(std::chrono::milliseconds grace) override;

 private:
  void Accept();
  void OnAccepted(tcp::socket socket);
  /// Runs `work` on the I/O thread and waits for it.
  void OnIoThread(const std::function<void()>& work);

  ServerCore core_;
  tcp::acceptor acceptor_;
  net::steady_timer accept_pause_;
  net::executor_work_guard<net::io_context::executor_type> work_;
  unsigned short port_ = 0;
  std::thread io_thread_;
  std::mutex stop_mutex_;
};

Status AsioHttpServer::Listen() {
  error_code error;
  const auto address = net::ip::make_address(core_.options.address, error);
  if (error) {
    return Fail(InvalidArgument("'" + core_.options.address + "' is not an IP address"));
  }
  const tcp::endpoint endpoint(address, core_.options.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) {
    return Fail(Unavailable("cannot listen on " + core_.options.address + ":" +
                            std::to_string(core_.options.port) + ": " + error.message()));
  }
  CloseOnExec(acceptor_.native_handle());
  return {};
}

void AsioHttpServer::Run() {
  Accept();
  io_thread_ = std::thread([this] { core_.io.run(); });
}

void AsioHttpServer::Accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      OnAccepted(std::move(socket));
      return Accept();
    }
    LogWarn("cannot accept a connection", {{"error", error.message()}});
    accept_pause_.expires_after(kAcceptPause);
    accept_pause_.async_wait([this](error_code cancelled) {
      if (!cancelled && acceptor_.is_open()) Accept();
    });
  });
}

void AsioHttpServer::OnAccepted(tcp::socket socket) {
  const auto most = static_cast<std::size_t>(core_.options.max_connections);
  const std::size_t open = core_.connections.size();
  if (open >= most + kRefusedAtATime) return;
  CloseOnExec(socket.native_handle());
  const auto connection = std::make_shared<HttpConnection>(core_, std::move(socket));
  core_.Add(connection);
  open < most ? connection->Start() : connection->StartRefusing();
}

void AsioHttpServer::OnIoThread(const std::function<void()>& work) {
  std::promise<void> done;
  core_.Post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void AsioHttpServer::Stop(std::chrono::milliseconds grace) {
  const std::lock_guard lock(stop_mutex_);
  if (!io_thread_.joinable()) return;
  // Shared: it may be fulfilled long after the wait for it was given up.
  const auto emptied = std::make_shared<std::promise<void>>();
  OnIoThread([&] {
    error_code ignored;
    acceptor_.close(ignored);
    accept_pause_.cancel();
    core_.Drain([emptied] { emptied->set_value(); });
  });
  emptied->get_future().wait_for(grace);
  OnIoThread([&] { core_.Abandon(); });
  core_.workers.join();
  work_.reset();
  io_thread_.join();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                      const Router& router, HttpServerHooks hooks) {
  auto server = std::make_unique<AsioHttpServer>(std::move(options), router, std::move(hooks));
  if (auto listening = server->Listen(); !listening) return Fail(listening.error());
  server->Run();
  return server;
}

}  // namespace mlprof
