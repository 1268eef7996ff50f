#include "common/http/server_core.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/http/connection.h"
#include "common/log/log.h"

namespace mlprof {
namespace {

constexpr std::size_t kScratchBytes = 256 * 1024;

}  // namespace

ServerCore::ServerCore(HttpServerOptions chosen, const Router& routes, HttpServerHooks supplied)
    : options(std::move(chosen)),
      router(routes),
      hooks(std::move(supplied)),
      scratch(kScratchBytes),
      workers(static_cast<std::size_t>(std::max(1, options.workers))) {}

void ServerCore::Post(std::function<void()> work) { net::post(io, std::move(work)); }

void ServerCore::RunOnWorker(std::function<void()> work, std::function<void()> done) {
  if (abandoning) {  // nobody may come to the workers any more
    if (done) Post(std::move(done));
    return;
  }
  net::post(workers, [this, work = std::move(work), done = std::move(done)]() mutable {
    if (!abandoning) work();
    work = nullptr;
    if (done) Post(std::move(done));
  });
}

void ServerCore::Add(std::shared_ptr<HttpConnection> connection) {
  connections.insert(std::move(connection));
}

void ServerCore::Remove(const std::shared_ptr<HttpConnection>& connection) {
  connections.erase(connection);
  if (connections.empty() && emptied_) std::exchange(emptied_, nullptr)();
}

void ServerCore::Drain(std::function<void()> emptied) {
  draining = true;
  emptied_ = std::move(emptied);
  for (const auto& connection : connections) connection->Drain();
  if (connections.empty() && emptied_) std::exchange(emptied_, nullptr)();
}

void ServerCore::Abandon() {
  abandoning = true;
  for (const auto& connection : connections) connection->Close();
}

HttpResponse ServerCore::Refusal(int status, const std::string& detail,
                                 const HttpRequest& request) const {
  try {
    HttpResponse response;
    if (hooks.refuse) response = hooks.refuse(status, detail, request);
    if (hooks.refuse && std::holds_alternative<std::string>(response.body)) return response;
  } catch (const std::exception& error) {
    LogError("the refusal hook failed", {{"error", error.what()}});
  }
  return TextResponse(status, "text/plain; charset=utf-8", detail + "\n");
}

}  // namespace mlprof
