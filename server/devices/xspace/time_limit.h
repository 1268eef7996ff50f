// How long a tool may look at a trace. What takes the clock is handed in.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "common/result/result.h"

namespace mlprof::server::xspace {

/// Asked in every loop over events, which end where it is over: what they have made by then is
/// thrown away. Once over it stays so. One thread.
class TimeLimit {
 public:
  TimeLimit() = default;  // none
  explicit TimeLimit(std::function<bool()> is_over) : is_over_(std::move(is_over)) {}

  /// Cheap: `is_over` is asked at the first of 1,024 calls.
  bool Over() const {
    if (calls_++ % kCallsOfOneLook == 0) Look();
    return over_;
  }
  /// The same after something that may have taken long.
  bool OverNow() const {
    Look();
    return over_;
  }
  /// Whether a loop has been told that it is over; kDeadlineExceeded then.
  Status Kept() const;

 private:
  static constexpr std::uint32_t kCallsOfOneLook = 1024;

  void Look() const {
    if (!over_ && is_over_) over_ = is_over_();
  }

  std::function<bool()> is_over_;
  mutable std::uint32_t calls_ = 0;
  mutable bool over_ = false;
};

}  // namespace mlprof::server::xspace
