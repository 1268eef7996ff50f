// What the connections of one server share. Everything on the I/O thread unless said otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/async/asio.h"
#include "common/http/connection_places.h"
#include "common/http/server.h"
#include "common/http/step_guard.h"

namespace mlprof {

class HttpConnection;

struct ServerCore {
  /// One piece of work in a list of its own, so that handing it on needs no memory.
  using Work = std::list<std::function<void()>>;

  ServerCore(HttpServerOptions chosen, const ConnectionLimits& limits, const Router& routes,
             HttpServerHooks supplied);

  /// Any thread. Never lost: where memory is short it waits for some.
  void Post(Work work) noexcept;
  void Post(std::function<void()> work);
  /// `work` on a worker, then `done` on the I/O thread under the guard, which keeps what it guards
  /// alive until then. `ran` is false where `work` threw, or was left out because of `abandoning`.
  void RunOnWorker(const StepGuard& guard, std::function<void()> work,
                   std::function<void(bool ran)> done);
  /// `work` on a worker. What it throws is logged; once `abandoning` it is left out.
  void RunOnWorker(std::function<void()> work);

  void Add(std::shared_ptr<HttpConnection> connection);
  void Remove(const std::shared_ptr<HttpConnection>& connection);
  /// Ends idle connections and streams; `emptied` is called once none is left.
  void Drain(std::function<void()> emptied);
  /// Closes every connection and leaves out whatever waits for a worker.
  void Abandon();
  void TellTurnedAway(TurnedAway how) const noexcept;

  /// hooks.refuse, or plain text where it is empty or throws. On a worker.
  HttpResponse Refusal(int status, const std::string& detail, const HttpRequest& request) const;

  const HttpServerOptions options;
  const Router router;
  const HttpServerHooks hooks;
  std::vector<char> scratch;
  ConnectionPlaces places;
  net::io_context io{1};    // outlives what is queued in the two below
  net::io_context workers;  // run by the worker threads
  std::set<std::shared_ptr<HttpConnection>> connections;
  bool draining = false;
  std::atomic<bool> abandoning = false;

 private:
  void RunNext();
  bool RunHere(const std::function<void()>& work) const noexcept;

  std::mutex inbox_mutex_;
  Work inbox_;  // for the I/O thread
  std::function<void()> emptied_;
};

}  // namespace mlprof
