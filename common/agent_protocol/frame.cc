#include "common/agent_protocol/frame.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "common/agent_protocol/forward.h"

namespace mlprof::agent_protocol {
namespace {

// Read at once: thousands of samples or responses. Each connection has this memory all the time.
constexpr std::size_t kChunk = 64u << 10;
// A buffer that a large row made grow beyond this is given back when it is empty.
constexpr std::size_t kKeptCapacity = 1u << 20;

std::uint32_t LengthAt(const char* bytes) {
  std::uint32_t length = 0;
  std::memcpy(&length, bytes, sizeof(length));
  return length;
}

}  // namespace

std::size_t MaxPayload(Sender sender, FrameType type) {
  const bool agent = sender == Sender::kAgent;
  switch (type) {
    case FrameType::kHello: return agent ? 4096 : 0;
    case FrameType::kReady: return agent ? 4096 : 0;
    case FrameType::kResponse: return agent ? kMaxExcerpt + 128 : 0;
    case FrameType::kSample: return agent ? 256 : 0;
    case FrameType::kProcessEvent: return agent ? 16u << 10 : 0;
    case FrameType::kStart: return agent ? 0 : 4u << 20;
    case FrameType::kRow: return agent ? 0 : kMaxRowBody + 16;
    case FrameType::kStop: return agent ? 0 : 64;
    case FrameType::kClockProbe: return agent ? 0 : 64;
    case FrameType::kClockReading: return agent ? 64 : 0;
    case FrameType::kConnections: return agent ? 0 : 64;
    case FrameType::kForwardOpen: return agent ? 0 : 64;
    case FrameType::kForwardData: return kMaxForwardData + 4;
    case FrameType::kForwardCredit: return 64;
    case FrameType::kForwardEnd: return 64;
    case FrameType::kForwardClose: return 1024;
    case FrameType::kCensusQuestion: return agent ? 0 : 64;
    case FrameType::kProcesses: return agent ? 8u << 10 : 0;
  }
  return 0;
}

FrameDecoder::FrameDecoder(Sender sender) : sender_(sender) { Resize(kChunk); }

void FrameDecoder::Resize(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  std::copy(buffer_.get() + begin_, buffer_.get() + end_, larger.get());
  buffer_ = std::move(larger);
  capacity_ = capacity;
  end_ -= begin_;
  begin_ = 0;
}

std::span<char> FrameDecoder::Space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (capacity_ > kKeptCapacity) Resize(kChunk);
  } else if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    const std::size_t frame = LengthAt(buffer_.get()) + kFrameHeaderBytes;
    Resize(std::min(capacity_ * 2, std::max(frame, capacity_) + kChunk));
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

Result<std::optional<Frame>> FrameDecoder::Next() {
  if (end_ - begin_ < kFrameHeaderBytes) return std::nullopt;
  const char* head = buffer_.get() + begin_;
  const std::size_t length = LengthAt(head);
  const auto type = static_cast<FrameType>(static_cast<unsigned char>(head[4]));
  const std::size_t limit = MaxPayload(sender_, type);
  if (limit == 0) {
    return Fail(
        InvalidArgument("unexpected frame of type " + std::to_string(static_cast<unsigned>(type))));
  }
  if (length > limit) {
    return Fail(InvalidArgument("a frame of type " + std::to_string(static_cast<unsigned>(type)) +
                                " announces " + std::to_string(length) + " bytes, at most " +
                                std::to_string(limit) + " are allowed"));
  }
  if (end_ - begin_ < kFrameHeaderBytes + length) return std::nullopt;
  begin_ += kFrameHeaderBytes + length;
  return Frame{type, {head + kFrameHeaderBytes, length}};
}

}  // namespace mlprof::agent_protocol
