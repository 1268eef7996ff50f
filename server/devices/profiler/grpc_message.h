// The one message of a unary gRPC response: a byte that says whether it is compressed, its length
// in four bytes, and its bytes, which are handed on as they come. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof::server::profiler {

std::string FrameMessage(std::string_view message);

class GrpcMessage {
 public:
  using Sink = std::function<Status(std::string_view piece)>;
  GrpcMessage(Bytes most, Sink sink) : most_(most), sink_(std::move(sink)) {}

  /// kTooLarge beyond `most`; kInternal for what no server sends that was not told of
  /// compression; what the sink gives.
  Status Take(std::string_view bytes);

  bool IsWhole() const { return head_.size() == kHead && left_ == 0; }
  Bytes size() const { return size_; }  // 0 until it is known
  Bytes received() const { return size_ - Bytes(static_cast<std::int64_t>(left_)); }

 private:
  static constexpr std::size_t kHead = 5;
  Status ReadHead();

  const Bytes most_;
  const Sink sink_;
  std::string head_;
  std::uint64_t left_ = 0;
  Bytes size_;
};

}  // namespace mlprof::server::profiler
