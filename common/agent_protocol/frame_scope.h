// How a message becomes a frame at the end of a text. Inside this folder only.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "common/agent_protocol/frame.h"

namespace mlprof::agent_protocol {

/// Opens a frame at the end of `out`; the length is filled in when it goes.
class FrameScope {
 public:
  FrameScope(std::string& out, FrameType type) : out_(out), at_(out.size()) {
    const char header[kFrameHeaderBytes] = {0, 0, 0, 0, static_cast<char>(type)};
    out_.append(header, sizeof(header));
  }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;
  ~FrameScope() {
    const auto length = static_cast<std::uint32_t>(out_.size() - at_ - kFrameHeaderBytes);
    std::memcpy(out_.data() + at_, &length, sizeof(length));
  }

 private:
  std::string& out_;
  std::size_t at_;
};

}  // namespace mlprof::agent_protocol
