// Asks the model until it answers: a 2xx or 3xx at the readiness path, or any HTTP status at "/".
#pragma once

#include <functional>
#include <string>

#include "agent/relay/connection.h"

namespace mlprof::agent {

class Readiness final : public ConnectionOwner {
 public:
  struct Outcome {
    std::function<void()> ready;
    std::function<void(const std::string& last_try)> not_ready;
  };
  /// `any_status`: every HTTP response counts.
  Readiness(EventLoop& loop, int port, RequestHead head, bool any_status, Outcome outcome);
  ~Readiness() override;

  /// Tries until `give_up`, then says not_ready once.
  void Start(Clock::time_point give_up);
  void Stop();

 private:
  void OnExchangeEnd(Connection& connection) override;
  void OnIdleEnd(Connection&, bool) override {}
  void Try();
  bool Accepts() const;
  std::string Describe() const;

  EventLoop& loop_;
  const RequestHead head_;
  const bool any_status_;
  const Outcome outcome_;
  Connection connection_;
  Clock::time_point give_up_{};
  std::chrono::milliseconds pause_{1};
  TimerId timer_{};
  std::string last_try_;
  bool running_ = false;
};

}  // namespace mlprof::agent
