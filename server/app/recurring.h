// Work that comes again and again on a thread of its own, as long as the object lives.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace mlprof {

class Recurring {
 public:
  /// Calls `work` at once and then after every `pause`.
  Recurring(std::chrono::milliseconds pause, std::function<void()> work);
  /// Waits for the call that runs.
  ~Recurring() = default;

 private:
  std::jthread thread_;
};

}  // namespace mlprof
