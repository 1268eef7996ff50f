#include "common/http/server_core.h"

#include <utility>

#include "common/http/connection.h"
#include "common/log/log.h"
#include "common/os/until_memory.h"

namespace mlprof {
namespace {

constexpr std::size_t kScratchBytes = 256 << 10;

}  // namespace

ServerCore::ServerCore(HttpServerOptions chosen, const ConnectionLimits& limits,
                       const Router& routes, HttpServerHooks supplied)
    : options(std::move(chosen)),
      router(routes),
      hooks(std::move(supplied)),
      scratch(kScratchBytes),
      places(limits) {}

void ServerCore::Post(std::function<void()> work) {
  Work one;
  one.push_back(std::move(work));
  Post(std::move(one));
}

void ServerCore::Post(Work work) noexcept {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.splice(inbox_.end(), work);
  }
  UntilThereIsMemory([this] { net::post(io, [this] { RunNext(); }); });
}

void ServerCore::RunNext() {
  Work next;
  {
    const std::lock_guard lock(inbox_mutex_);
    if (!inbox_.empty()) next.splice(next.end(), inbox_, inbox_.begin());
  }
  if (!next.empty()) next.front()();
}

bool ServerCore::RunHere(const std::function<void()>& work) const noexcept {
  if (abandoning) return false;
  try {
    work();
    return true;
  } catch (...) {
    LogThrown("work for a request failed", "http worker");
    return false;
  }
}

void ServerCore::RunOnWorker(const StepGuard& guard, std::function<void()> work,
                             std::function<void(bool)> done) {
  auto ran = std::make_shared<bool>(false);
  Work report;
  report.emplace_back([guard, held = guard.Hold(), done = std::move(done), ran] {
    guard.Run([&] { done(*ran); });
  });
  if (abandoning) return Post(std::move(report));  // the workers may be gone: `work` is left out
  net::post(workers, [this, ran = std::move(ran), work = std::move(work),
                      report = std::move(report)]() mutable {
    *ran = RunHere(work);
    work = nullptr;
    Post(std::move(report));
  });
}

void ServerCore::RunOnWorker(std::function<void()> work) {
  if (abandoning) return;
  net::post(workers, [this, work = std::move(work)] { RunHere(work); });
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

void ServerCore::TellTurnedAway(TurnedAway how) const noexcept {
  try {
    if (hooks.turned_away) hooks.turned_away(how);
  } catch (...) {
    LogThrown("the hook of connections turned away failed", "http");
  }
}

HttpResponse ServerCore::Refusal(int status, const std::string& detail,
                                 const HttpRequest& request) const {
  try {
    HttpResponse response;
    if (hooks.refuse) response = hooks.refuse(status, detail, request);
    if (hooks.refuse && std::holds_alternative<std::string>(response.body)) return response;
  } catch (...) {
    LogThrown("the refusal hook failed", "http");
  }
  return TextResponse(status, "text/plain; charset=utf-8", detail + "\n");
}

}  // namespace mlprof
