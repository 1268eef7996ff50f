// How long to wait before the next try: longer each time, up to a most. Pure.
#pragma once

#include <algorithm>
#include <chrono>

namespace mlprof::server {

class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds most)
      : first_(first), most_(most), next_(first) {}

  std::chrono::milliseconds Next() {
    const auto wait = next_;
    next_ = std::min(most_, 2 * next_);
    return wait;
  }
  void Reset() { next_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds most_;
  std::chrono::milliseconds next_;
};

}  // namespace mlprof::server
