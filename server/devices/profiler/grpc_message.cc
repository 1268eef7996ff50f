#include "server/devices/profiler/grpc_message.h"

#include <algorithm>

#include "common/units/size_text.h"

namespace mlprof::server::profiler {

std::string FrameMessage(std::string_view message) {
  std::string framed(1, '\0');
  for (unsigned shift = 32; shift > 0; shift -= 8) {
    framed += static_cast<char>(message.size() >> (shift - 8) & 0xFFU);
  }
  framed += message;
  return framed;
}

Status GrpcMessage::ReadHead() {
  if (head_[0] != 0) {
    return Fail(Internal("the profiler server compressed its answer, which nobody asked it to"));
  }
  for (std::size_t i = 1; i < kHead; ++i) {
    left_ = left_ << 8U | static_cast<unsigned char>(head_[i]);
  }
  const Bytes size(static_cast<std::int64_t>(left_));
  if (size > most_) {
    return Fail(ErrorCode::kTooLarge, "the trace takes " + SizeText(size) + ", more than " +
                                          SizeText(most_) + ": record for a shorter time");
  }
  size_ = size;
  return {};
}

Status GrpcMessage::Take(std::string_view bytes) {
  if (head_.size() < kHead) {
    const std::string_view more = bytes.substr(0, kHead - head_.size());
    head_ += more;
    bytes.remove_prefix(more.size());
    if (head_.size() < kHead) return {};
    MLPROF_TRY(ReadHead());
  }
  if (bytes.empty()) return {};
  if (bytes.size() > left_) return Fail(Internal("the profiler server sent more than it told of"));
  left_ -= bytes.size();
  return sink_(bytes);
}

}  // namespace mlprof::server::profiler
