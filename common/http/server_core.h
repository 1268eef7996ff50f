// What the connections of one server share. Everything on the I/O thread unless said otherwise.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/async/asio.h"
#include "common/http/server.h"

namespace mlprof {

class HttpConnection;

struct ServerCore {
  ServerCore(HttpServerOptions chosen, const Router& routes, HttpServerHooks supplied);

  /// Any thread.
  void Post(std::function<void()> work);
  /// `work` on a worker, then `done` (may be empty) on the I/O thread. Once `abandoning`, `work` is
  /// left out. Neither may throw.
  void RunOnWorker(std::function<void()> work, std::function<void()> done);

  void Add(std::shared_ptr<HttpConnection> connection);
  void Remove(const std::shared_ptr<HttpConnection>& connection);
  /// Ends idle connections and streams; `emptied` is called once none is left.
  void Drain(std::function<void()> emptied);
  /// Closes every connection and leaves out whatever waits for a worker.
  void Abandon();

  /// hooks.refuse, or plain text where it is empty or throws. On a worker.
  HttpResponse Refusal(int status, const std::string& detail, const HttpRequest& request) const;

  const HttpServerOptions options;
  const Router router;
  const HttpServerHooks hooks;
  std::vector<char> scratch;
  net::io_context io{1};  // outlives what is queued in `workers`
  net::thread_pool workers;
  std::set<std::shared_ptr<HttpConnection>> connections;
  bool draining = false;
  std::atomic<bool> abandoning = false;

 private:
  std::function<void()> emptied_;
};

}  // namespace mlprof
