// Frames: u32 little-endian payload length, u8 type, payload (api/agent-protocol.md). FrameDecoder
// cuts a byte stream into frames; codec.h turns payloads into messages and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "common/result/result.h"

namespace mlprof::agent_protocol {

enum class FrameType : std::uint8_t {
  kHello = 1,
  kStart = 2,
  kReady = 3,
  kRow = 4,
  kResponse = 5,
  kSample = 6,
  kProcessEvent = 7,
  kStop = 8,
  kClockProbe = 9,
  kClockReading = 10,
  kConnections = 11,
  kForwardOpen = 12,
  kForwardData = 13,
  kForwardCredit = 14,
  kForwardEnd = 15,
  kForwardClose = 16,
  kCensusQuestion = 17,
  kProcesses = 18,
};

enum class Sender { kController, kAgent };

// The bounds of api/agent-protocol.md. What a hostile model can make the agent send is bounded by
// them, and so is the memory that either side holds.
inline constexpr std::size_t kFrameHeaderBytes = 5;
inline constexpr std::size_t kMaxRowBody = 64u << 20;
/// Open to the model at once: as many as an objective may have in flight.
inline constexpr std::size_t kMaxConnections = 1024;
inline constexpr std::size_t kMaxExcerpt = 2048;
inline constexpr std::size_t kMaxThreadPools = 32;
inline constexpr std::size_t kMaxThreadPoolName = 64;
/// Told of one census: twice as many as the workers of a large server on one machine. Chosen.
inline constexpr std::size_t kMaxProcesses = 128;

/// Largest payload of a frame of this type, in bytes; 0 for a type that `sender` never sends.
std::size_t MaxPayload(Sender sender, FrameType type);

struct Frame {
  FrameType type{};
  std::string_view payload;
};

/// Cuts what one side sends into frames. Memory grows with the bytes received, never with a length
/// that was only announced. One thread.
class FrameDecoder {
 public:
  explicit FrameDecoder(Sender sender);

  /// Where the next bytes are to be read to; never empty. Ends the life of the last frame's view.
  std::span<char> Space();
  /// `count` bytes of Space() were filled.
  void Commit(std::size_t count) { end_ += count; }
  /// The next whole frame, nothing when more bytes are needed, or kInvalidArgument when the stream
  /// breaks the protocol; after that the decoder must not be used.
  Result<std::optional<Frame>> Next();

  std::size_t capacity() const { return capacity_; }

 private:
  void Resize(std::size_t capacity);

  const Sender sender_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace mlprof::agent_protocol
