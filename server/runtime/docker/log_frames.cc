#include "server/runtime/docker/log_frames.h"

#include <algorithm>
#include <cstddef>

namespace mlprof::server::docker {
namespace {

constexpr std::size_t kHeaderSize = 8;

bool IsHeader(std::string_view header) {
  return header[0] <= 2 && header[1] == 0 && header[2] == 0 && header[3] == 0;
}

std::uint32_t PayloadLength(std::string_view header) {
  std::uint32_t length = 0;
  for (std::size_t i = 4; i < kHeaderSize; ++i) {
    length = (length << 8) | static_cast<unsigned char>(header[i]);
  }
  return length;
}

}  // namespace

std::string LogFrames::Feed(std::string_view piece) {
  std::string text;
  while (!piece.empty()) {
    if (raw_) {
      text += piece;
      break;
    }
    if (payload_left_ > 0) {
      const std::size_t taken = std::min<std::size_t>(payload_left_, piece.size());
      text += piece.substr(0, taken);
      payload_left_ -= static_cast<std::uint32_t>(taken);
      piece.remove_prefix(taken);
      continue;
    }
    const std::size_t taken = std::min(kHeaderSize - header_.size(), piece.size());
    header_ += piece.substr(0, taken);
    piece.remove_prefix(taken);
    if (header_.size() < kHeaderSize) break;
    if (IsHeader(header_)) {
      payload_left_ = PayloadLength(header_);
    } else {
      raw_ = true;
      text += header_;
    }
    header_.clear();
  }
  return text;
}

}  // namespace mlprof::server::docker
