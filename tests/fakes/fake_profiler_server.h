// A profiler server that a test scripts: one gRPC answer over real HTTP/2, for every call.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tests/fakes/tcp_server.h"

namespace mlprof::fakes {

struct ProfilerScript {
  std::string response = {};        // the ProfileResponse
  std::string status = "0";         // grpc-status; "": none
  std::string status_message = {};  // grpc-message, encoded
  std::string http_status = "200";
  std::string content_type = "application/grpc";
  char compressed = 0;
  std::optional<std::uint32_t> told_size = {};  // in place of the response's
  std::optional<std::size_t> lost_after = {};   // bytes of the body, whereafter it hangs up
  bool silent = false;                          // it takes the call and answers nothing
  /// Called with the gRPC message, without its five bytes, before it is answered.
  std::function<void(std::string_view request)> on_request = {};
};

/// The same as a port of the imitated model's (fake_port.h): what it answers to bytes as they come.
/// One connection at a time; each begins with HTTP/2's preface. `calls`, where given, counts them.
std::function<std::string(std::string_view heard)> ProfilerPort(
    ProfilerScript script, const std::shared_ptr<std::atomic<int>>& calls = nullptr);

class FakeProfilerServer {
 public:
  explicit FakeProfilerServer(ProfilerScript script);

  int port() const { return server_->port(); }
  /// Of the last call.
  std::string path() const;
  std::string request() const;  // the gRPC message, without its five bytes

 private:
  void Serve(int fd);

  const ProfilerScript script_;
  mutable std::mutex mutex_;
  std::string path_;
  std::string request_;
  std::unique_ptr<TcpServer> server_;  // last: it ends first
};

}  // namespace mlprof::fakes
