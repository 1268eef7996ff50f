// The body of one request as its head frames it, decoded piece by piece under a limit. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/http/chunked_decoder.h"
#include "common/http/framing_gate.h"
#include "common/units/bytes.h"

namespace mlprof {

class BodyReceiver {
 public:
  enum class State { kMore, kDone, kTooLarge, kBad };

  BodyReceiver(const RequestHead& head, Bytes limit);

  /// kDone for a request without a body, kTooLarge where Content-Length says so already.
  State state() const { return state_; }
  /// Takes the body's bytes off `input` (what remains belongs to the next request) and appends them
  /// decoded to `out`.
  State Feed(std::string_view& input, std::string& out);

 private:
  State FeedPlain(std::string_view& input, std::string& out);
  State FeedChunked(std::string_view& input, std::string& out);

  std::uint64_t limit_;
  bool chunked_;
  ChunkedDecoder decoder_;
  std::uint64_t left_ = 0;      // by Content-Length
  std::uint64_t received_ = 0;  // decoded
  State state_ = State::kMore;
};

}  // namespace mlprof
