#include "common/http/server.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>

#include "common/async/run_loop.h"
#include "common/http/connection.h"
#include "common/http/connection_places.h"
#include "common/http/listener.h"
#include "common/http/response_head.h"
#include "common/http/server_core.h"
#include "common/log/log.h"
#include "common/os/descriptor_limit.h"
#include "common/os/start_thread.h"

namespace mlprof {
namespace {

using net::ip::tcp;
using WorkGuard = net::executor_work_guard<net::io_context::executor_type>;

ConnectionLimits LimitsFor(const HttpServerOptions& options) {
  const auto wanted = static_cast<std::size_t>(std::max(1, options.max_connections));
  const std::size_t descriptors = DescriptorLimit();
  const ConnectionLimits limits = LimitConnections(wanted, descriptors);
  if (limits.all < wanted) {
    LogInfo("the limit of open files leaves fewer connections (ulimit -n, LimitNOFILE=)",
            {{"openFiles", descriptors},
             {"connections", limits.all},
             {"connectionsWanted", wanted},
             {"connectionsOfOneAddress", limits.of_address},
             {"connectionsOfThisMachine", limits.of_this_machine}});
  }
  return limits;
}

// What a client is told for whom there is no descriptor. Made at the start, while there is memory.
std::string NoDescriptorResponse(const ServerCore& core) {
  HttpResponse refusal =
      core.Refusal(503, "this server has no descriptor left; try again in a moment", HttpRequest());
  refusal.headers.Set("Retry-After", "1");
  const auto& text = std::get<std::string>(refusal.body);
  ResponseFraming framing;
  framing.close = true;
  framing.content_length = text.size();
  return ResponseHead(refusal.status, refusal.headers, framing) + text;
}

class AsioHttpServer final : public HttpServer {
 public:
  AsioHttpServer(const HttpServerOptions& options, const Router& router, HttpServerHooks hooks)
      : core_(options, LimitsFor(options), router, std::move(hooks)),
        plain_(core_.io, nullptr, OfListeners()),
        io_work_(core_.io.get_executor()),
        workers_work_(core_.workers.get_executor()) {
    if (core_.options.tls) tls_.emplace(core_.io, core_.options.tls->context, OfListeners());
  }
  ~AsioHttpServer() override;

  Status Listen();
  Status Run();
  unsigned short port() const override { return plain_.port(); }
  unsigned short tls_port() const override { return tls_ ? tls_->port() : 0; }
  void Stop(std::chrono::milliseconds grace) override;

 private:
  ListenerHooks OfListeners();
  Status StartWorkers();
  /// Runs `work` on the I/O thread and waits for it.
  void OnIoThread(const std::function<void()>& work);
  void EndWorkers();

  ServerCore core_;
  Listener plain_;
  std::optional<Listener> tls_;
  WorkGuard io_work_;
  WorkGuard workers_work_;
  std::mutex stop_mutex_;
  std::vector<std::jthread> workers_;
  std::jthread io_thread_;
};

ListenerHooks AsioHttpServer::OfListeners() {
  return {[this](tcp::socket socket, const net::ip::address& peer, const TlsContext* context) {
            const auto connection =
                std::make_shared<HttpConnection>(core_, std::move(socket), peer, context);
            core_.Add(connection);
            connection->Start();
          },
          [this] { return core_.places.MakeRoom(); },
          [this] { core_.TellTurnedAway(TurnedAway::kDescriptors); }, NoDescriptorResponse(core_)};
}

Status AsioHttpServer::Listen() {
  MLPROF_TRY(plain_.Open(core_.options.address, core_.options.port));
  if (tls_) MLPROF_TRY(tls_->Open(core_.options.tls->address, core_.options.tls->port));
  return {};
}

Status AsioHttpServer::Run() {
  MLPROF_TRY(StartWorkers());
  auto thread = StartThread("http", [this](const std::stop_token&) { RunLoop(core_.io, "http"); });
  if (!thread) return Fail(thread.error());
  io_thread_ = *std::move(thread);
  OnIoThread([this] {
    plain_.Start();
    if (tls_) tls_->Start();
  });
  return {};
}

Status AsioHttpServer::StartWorkers() {
  const int wanted = std::max(1, core_.options.workers);
  for (int i = 0; i < wanted; ++i) {
    auto worker = StartThread(
        "http worker", [this](const std::stop_token&) { RunLoop(core_.workers, "http worker"); });
    if (!worker && workers_.empty()) return Fail(worker.error());
    if (!worker) {
      LogWarn("fewer workers answer requests",
              {{"workers", i}, {"workersWanted", wanted}, {"why", worker.error().message()}});
      break;
    }
    workers_.push_back(*std::move(worker));
  }
  return {};
}

void AsioHttpServer::OnIoThread(const std::function<void()>& work) {
  std::promise<void> done;
  core_.Post([&] {
    try {
      work();
    } catch (...) {
      LogThrown("a part of the server could not be told", "http");
    }
    done.set_value();
  });
  done.get_future().wait();
}

void AsioHttpServer::Stop(std::chrono::milliseconds grace) {
  const std::lock_guard lock(stop_mutex_);
  if (!io_thread_.joinable()) return EndWorkers();
  // Shared: it may be fulfilled long after the wait for it was given up.
  const auto emptied = std::make_shared<std::promise<void>>();
  OnIoThread([&] {
    plain_.Close();
    if (tls_) tls_->Close();
    core_.Drain([emptied] { emptied->set_value(); });
  });
  emptied->get_future().wait_for(grace);
  OnIoThread([&] { core_.Abandon(); });
  EndWorkers();
  io_work_.reset();
  io_thread_.join();
}

void AsioHttpServer::EndWorkers() {
  workers_work_.reset();
  workers_.clear();
}

AsioHttpServer::~AsioHttpServer() {
  try {
    Stop(std::chrono::milliseconds(0));
  } catch (...) {
    LogThrown("the server did not stop in order", "http");
    EndWorkers();
    core_.io.stop();
  }
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                      const Router& router, HttpServerHooks hooks) {
  auto server = std::make_unique<AsioHttpServer>(options, router, std::move(hooks));
  MLPROF_TRY(server->Listen());
  MLPROF_TRY(server->Run());
  return server;
}

}  // namespace mlprof
