// What controller and agent say about forwarded streams: connections to a TCP port of the model's,
// carried in frames (api/agent-protocol.md, "Forwarded ports"). The messages, their coding and the
// flow control. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "common/agent_protocol/frame.h"
#include "common/result/result.h"

namespace mlprof::agent_protocol {

/// Bytes of one stream and one way that may be on their way or wait to be taken.
inline constexpr std::size_t kForwardWindow = 256u << 10;
/// Small, so that no response or sample waits long behind one.
inline constexpr std::size_t kMaxForwardData = 16u << 10;
/// Streams of one connection at once, those among them whose end only one side has told.
inline constexpr std::size_t kMaxForwards = 16;
inline constexpr std::size_t kMaxForwardDetail = 512;

/// controller → agent: connect to `port` on loopback. Numbers of streams rise and never come back.
struct ForwardOpen {
  std::uint32_t stream = 0;
  int port = 0;  // 1 to 65535
};

/// Both ways: bytes of the stream, within the other's credit.
struct ForwardData {
  std::uint32_t stream = 0;
  std::string_view bytes;  // 1 to kMaxForwardData; a view into the frame
};

/// Both ways: so many more bytes may be sent. The agent's first one says that it is connected; the
/// agent itself may send kForwardWindow from the beginning.
struct ForwardCredit {
  std::uint32_t stream = 0;
  std::uint32_t bytes = 0;  // 1 to kForwardWindow
};

/// Both ways: this side sends no more bytes, and goes on reading.
struct ForwardEnd {
  std::uint32_t stream = 0;
};

/// Both ways: this side says nothing more of the stream, and drops what it still hears. Answered
/// with one, once.
struct ForwardClose {
  enum class Reason : std::uint8_t {
    kFinished,    // both ways have ended, its owner gave it up, or the other side closed it
    kRefused,     // nothing listens on the port
    kReset,       // the model's side broke the connection
    kModelEnded,  // and its connections with it
    kFailed,      // the agent could not connect; `detail` says why
  };
  std::uint32_t stream = 0;
  Reason reason = Reason::kFinished;
  std::string detail{};  // for people; cut to kMaxForwardDetail
};

using ForwardMessage =
    std::variant<ForwardOpen, ForwardData, ForwardCredit, ForwardEnd, ForwardClose>;

void Append(std::string& out, const ForwardOpen& open);
void Append(std::string& out, const ForwardData& data);
void Append(std::string& out, const ForwardCredit& credit);
void Append(std::string& out, const ForwardEnd& end);
void Append(std::string& out, const ForwardClose& close);

bool IsForward(FrameType type);
/// Of a frame for which IsForward holds. Bytes stay in the frame.
Result<ForwardMessage> DecodeForward(const Frame& frame);

// The flow control of one stream and one way. Whoever sends may only send what the other side has
// granted, which is what it has taken: so never more than a window waits there. One thread.

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
