// The flow control of one stream and one way. Whoever sends may only send what the other side has
// granted, which is what it has taken: so never more than a window waits there. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/agent_protocol/forward.h"

namespace mlprof::agent_protocol {

/// The sender's end.
class SendWindow {
 public:
  explicit SendWindow(std::size_t granted) : credit_(granted) {}

  std::size_t credit() const { return credit_; }
  /// `bytes` are sent; at most credit().
  void Take(std::size_t bytes) { credit_ -= bytes; }
  /// False where more was granted than a window holds: the protocol is broken.
  bool Grant(std::size_t bytes) {
    if (bytes > kForwardWindow - credit_) return false;
    credit_ += bytes;
    return true;
  }

 private:
  std::size_t credit_;
};

/// The receiver's end.
class ReceiveWindow {
 public:
  explicit ReceiveWindow(std::size_t granted) : open_(granted) {}

  /// `bytes` came. False where they were not granted: the protocol is broken.
  bool Accept(std::size_t bytes) {
    if (bytes > open_) return false;
    open_ -= bytes;
    return true;
  }
  /// `bytes` of what came were taken by whom they are for. What is to be granted now: nothing until
  /// half a window has come together, so that few frames are needed.
  std::uint32_t Consume(std::size_t bytes) {
    consumed_ += bytes;
    if (consumed_ < kForwardWindow / 2) return 0;
    const std::size_t granted = consumed_;
    consumed_ = 0;
    open_ += granted;
    return static_cast<std::uint32_t>(granted);
  }

 private:
  std::size_t open_;
  std::size_t consumed_ = 0;
};

}  // namespace mlprof::agent_protocol
