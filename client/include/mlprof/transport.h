// How requests reach a server: one exchange at a time, with bounded memory. The real transport is
// ConnectTo(); tests bring their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::client {

struct RestRequest {
  std::string method = "GET";
  std::string target;  // path and query, percent-encoded: "/models?name=x"
  std::map<std::string, std::string> headers;
  std::string body;
  std::filesystem::path body_file;  // where not empty, streamed in place of `body`
  /// Longest silence of the other side, not the length of the whole exchange.
  std::chrono::milliseconds idle_timeout{60'000};
  std::function<void(std::int64_t bytes)> on_sent;  // bytes of body_file so far; from any thread
  std::stop_token stop;                             // ends the exchange early with kCancelled
};

struct RestResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  bool ok() const { return status >= 200 && status < 300; }
};

/// Gets the body of a 2xx response piece by piece, from another thread, while Stream() waits. False
/// ends the exchange, which then counts as done.
using BodySink = std::function<bool(std::string_view piece)>;

/// One exchange at a time from one thread; different objects are independent.
class RestTransport {
 public:
  virtual ~RestTransport() = default;

  /// The whole response, whatever its status. kUnavailable: no response; kDeadlineExceeded:
  /// silence; kCancelled: stopped.
  virtual Result<RestResponse> Send(const RestRequest& request) = 0;
  /// As Send, with the body of a 2xx response given to `sink` and not kept.
  virtual Result<RestResponse> Stream(const RestRequest& request, const BodySink& sink) = 0;
};

/// For `http://HOST:PORT[/prefix]` or https; `token` is sent as a bearer token unless empty.
/// `ca_file`: PEM of a CA to be trusted beside the machine's own, "" for none. kInvalidArgument for
/// what is no such URL or no such file.
Result<std::unique_ptr<RestTransport>> ConnectTo(const std::string& url, const std::string& token,
                                                 const std::string& ca_file = "");

}  // namespace mlprof::client
