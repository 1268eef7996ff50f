// A Docker daemon that says what a test tells it to: a small HTTP server on a Unix socket. It
// answers like an engine, slowly, half, not at all, or with bytes that are no HTTP.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/os/unique_fd.h"

namespace mlprof::fakes {

struct FakeResponse {
  int status = 200;
  std::string body;
  enum class Way {
    kWhole,
    kReset,    // closes without a word
    kGarbled,  // no HTTP
    kNever,    // keeps the connection and says nothing
    kHalf,     // keeps the connection and says no more than half of it
    kSlow,     // a byte now and then
  } way = Way::kWhole;
};

struct FakeRequest {
  std::string method;
  std::string target;   // without the "/v1.NN" before it
  std::string version;  // "1.41"; "" for an unversioned one
  std::string body;
};

/// One thread serves one connection at a time. Thread-safe.
class FakeDocker {
 public:
  explicit FakeDocker(const std::string& api_version = "1.41");
  ~FakeDocker();

  /// Answers requests whose "METHOD /path" begins so; the longest beginning wins. A list is used up
  /// one by one, its last response stays.
  void On(const std::string& beginning, std::vector<FakeResponse> responses);
  void On(const std::string& beginning, int status, const std::string& body) {
    On(beginning, {FakeResponse{status, body, FakeResponse::Way::kWhole}});
  }
  /// What was asked, but for pings without a script.
  std::vector<FakeRequest> Requests() const;
  /// "METHOD /path" of each.
  std::vector<std::string> Calls() const;
  std::string socket() const { return (folder_ / "d.sock").string(); }

 private:
  void Serve(const std::stop_token& stop);
  void ServeOne(int fd, const std::stop_token& stop);
  FakeResponse ResponseTo(const FakeRequest& request);

  const std::string api_version_;
  std::filesystem::path folder_;
  UniqueFd listener_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<FakeResponse>> responses_;
  std::vector<FakeRequest> requests_;
  std::vector<UniqueFd> kept_open_;
  std::jthread thread_;
};

}  // namespace mlprof::fakes
