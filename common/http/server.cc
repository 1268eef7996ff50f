#include "common/http/server.h"

#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>

#include "common/http/connection.h"
#include "common/http/listener.h"
#include "common/http/server_core.h"

namespace mlprof {
namespace {

using net::ip::tcp;

// Connections above max_connections that still get an answer, a 503.
constexpr std::size_t kRefusedAtATime = 64;

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(HttpServerOptions options, const Router& router, HttpServerHooks hooks)
      : core_(std::move(options), router, std::move(hooks)),
        plain_(core_.io, nullptr, Acceptance()),
        work_(core_.io.get_executor()) {
    if (core_.options.tls) tls_.emplace(core_.io, core_.options.tls->context, Acceptance());
  }
  ~AsioHttpServer() override { Stop(std::chrono::milliseconds(0)); }

  Status Listen();
  void Run();
  unsigned short port() const override { return plain_.port(); }
  unsigned short tls_port() const override { return tls_ ? tls_->port() : 0; }
  void Stop(std::chrono::milliseconds grace) override;

 private:
  Listener::Accepted Acceptance() {
    return [this](tcp::socket socket, const TlsContext* context) {
      OnAccepted(std::move(socket), context);
    };
  }
  void OnAccepted(tcp::socket socket, const TlsContext* context);
  /// Runs `work` on the I/O thread and waits for it.
  void OnIoThread(const std::function<void()>& work);

  ServerCore core_;
  Listener plain_;
  std::optional<Listener> tls_;
  net::executor_work_guard<net::io_context::executor_type> work_;
  std::thread io_thread_;
  std::mutex stop_mutex_;
};

Status AsioHttpServer::Listen() {
  MLPROF_TRY(plain_.Open(core_.options.address, core_.options.port));
  if (tls_) MLPROF_TRY(tls_->Open(core_.options.tls->address, core_.options.tls->port));
  return {};
}

void AsioHttpServer::Run() {
  plain_.Start();
  if (tls_) tls_->Start();
  io_thread_ = std::thread([this] { core_.io.run(); });
}

void AsioHttpServer::OnAccepted(tcp::socket socket, const TlsContext* context) {
  const auto most = static_cast<std::size_t>(core_.options.max_connections);
  const std::size_t open = core_.connections.size();
  if (open >= most + kRefusedAtATime) return;
  const auto connection = std::make_shared<HttpConnection>(core_, std::move(socket), context);
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
    plain_.Close();
    if (tls_) tls_->Close();
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
