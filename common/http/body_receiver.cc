#include "common/http/body_receiver.h"

#include <algorithm>

namespace mlprof {

BodyReceiver::BodyReceiver(const RequestHead& head, Bytes limit)
    : limit_(static_cast<std::uint64_t>(std::max<std::int64_t>(0, limit.count()))),
      chunked_(head.chunked),
      left_(head.content_length.value_or(0)) {
  if (chunked_) return;
  state_ = left_ == 0 ? State::kDone : left_ > limit_ ? State::kTooLarge : State::kMore;
}

BodyReceiver::State BodyReceiver::Feed(std::string_view& input, std::string& out) {
  if (state_ == State::kMore) {
    state_ = chunked_ ? FeedChunked(input, out) : FeedPlain(input, out);
  }
  return state_;
}

BodyReceiver::State BodyReceiver::FeedPlain(std::string_view& input, std::string& out) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
  out.append(input.substr(0, taken));
  input.remove_prefix(taken);
  left_ -= taken;
  return left_ == 0 ? State::kDone : State::kMore;
}

BodyReceiver::State BodyReceiver::FeedChunked(std::string_view& input, std::string& out) {
  const std::size_t before = out.size();
  const auto decoded = decoder_.Feed(input, out);
  received_ += out.size() - before;
  if (received_ > limit_) return State::kTooLarge;
  switch (decoded) {
    case ChunkedDecoder::State::kMore: return State::kMore;
    case ChunkedDecoder::State::kDone: return State::kDone;
    case ChunkedDecoder::State::kBad: return State::kBad;
  }
  return State::kBad;
}

}  // namespace mlprof
