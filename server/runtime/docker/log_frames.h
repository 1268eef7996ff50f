// Docker's multiplexed log stream: frames of {stream, 0, 0, 0, length as big-endian u32} and
// payload, cut anywhere. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mlprof::server::docker {

/// Fed piece by piece; stdout and stderr come out together, in order. Not thread-safe.
class LogFrames {
 public:
  /// The text that `piece` completes. A stream that is not framed (a container with a terminal) is
  /// handed on as it is.
  std::string Feed(std::string_view piece);

 private:
  std::string header_;              // of the frame being read, up to 8 bytes
  std::uint32_t payload_left_ = 0;  // bytes of its payload still to come
  bool raw_ = false;
};

}  // namespace mlprof::server::docker
