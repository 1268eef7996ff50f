// Work that comes again and again on a thread of its own, as long as the object lives.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "common/result/result.h"

namespace mlprof::server {

class Recurring {
 public:
  /// Calls `work` at once and then after every `pause`. What it throws is logged with `name`, and
  /// it is called again all the same. kResourceExhausted where there is no thread for it.
  static Result<Recurring> Start(const char* name, std::chrono::milliseconds pause,
                                 std::function<void()> work);

 private:
  explicit Recurring(std::jthread thread) : thread_(std::move(thread)) {}

  std::jthread thread_;  // its end waits for the call that runs
};

}  // namespace mlprof::server
