// Ctrl-C and its relatives while something is watched, and the question that follows.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace mlprof::client::cli {

/// Calls `on_interrupt` from a thread of its own for each SIGINT, SIGTERM and SIGHUP, until
/// destroyed; then they do again what they did before. Where there is no thread for it they do so
/// all the time. At most one object at a time.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void()> on_interrupt);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  std::jthread thread_;
};

/// Waits for one line on stdin: whether it says yes. False when stopped or at the end of input.
bool ReplyOnStdin(std::stop_token stop);

}  // namespace mlprof::client::cli
