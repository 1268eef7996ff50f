// A server in memory for tests of the client: routes respond by function, streams come in pieces,
// and everything asked is kept.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/include/mlprof/transport.h"

namespace mlprof::client {

struct FakeResponse {
  int status = 200;
  std::string body;
  std::map<std::string, std::string> headers;
  std::vector<std::string> pieces;  // of a stream; the body where there are none
  bool hangs = false;               // a stream that stays open until it is stopped
  bool breaks = false;              // a stream that breaks after its pieces
};

/// Shared by the transports that tests hand out; thread-safe.
class FakeServer {
 public:
  using Handler = std::function<FakeResponse(const RestRequest& request)>;

  /// `route` is "GET /models/x:1", without the query.
  void On(const std::string& route, Handler handler) {
    const std::lock_guard lock(mutex_);
    routes_[route] = std::move(handler);
  }
  void On(const std::string& route, int status, const std::string& body) {
    On(route, [=](const RestRequest&) { return FakeResponse{status, body, {}, {}, false, false}; });
  }
  void GoAway() { away_ = true; }

  std::vector<RestRequest> Asked(const std::string& route) const {
    const std::lock_guard lock(mutex_);
    std::vector<RestRequest> found;
    for (const RestRequest& request : asked_) {
      if (RouteOf(request) == route) found.push_back(request);
    }
    return found;
  }

  Result<FakeResponse> Respond(const RestRequest& request) {
    Handler handler;
    {
      const std::lock_guard lock(mutex_);
      if (away_) return Fail(Unavailable("no response from the fake server"));
      asked_.push_back(request);
      const auto found = routes_.find(RouteOf(request));
      if (found == routes_.end()) {
        return FakeResponse{404, R"({"detail":"there is none"})", {}, {}, false, false};
      }
      handler = found->second;
    }
    return handler(request);
  }

 private:
  static std::string RouteOf(const RestRequest& request) {
    return request.method + " " + request.target.substr(0, request.target.find('?'));
  }

  mutable std::mutex mutex_;
  std::map<std::string, Handler> routes_;
  std::vector<RestRequest> asked_;
  std::atomic<bool> away_ = false;
};

class FakeTransport : public RestTransport {
 public:
  explicit FakeTransport(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}

  Result<RestResponse> Send(const RestRequest& request) override {
    MLPROF_LET(fake, server_->Respond(request));
    return RestResponse{fake.status, fake.headers, fake.body};
  }

  Result<RestResponse> Stream(const RestRequest& request, const BodySink& sink) override {
    MLPROF_LET(fake, server_->Respond(request));
    RestResponse response{fake.status, fake.headers, ""};
    if (!response.ok()) {
      response.body = fake.body;
      return response;
    }
    if (fake.pieces.empty()) fake.pieces = {fake.body};
    for (const std::string& piece : fake.pieces) {
      if (!sink(piece)) return response;
    }
    if (fake.breaks) return Fail(Unavailable("the stream broke"));
    if (fake.hangs) return HangUntilStopped(request);
    return response;
  }

 private:
  static Result<RestResponse> HangUntilStopped(const RestRequest& request) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, request.stop, std::chrono::seconds(20), [] { return false; });
    return Fail(Cancelled("stopped"));
  }

  std::shared_ptr<FakeServer> server_;
};

}  // namespace mlprof::client
