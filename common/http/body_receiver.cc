#include "common/http/body_receiver.h"

#include <algorithm>
#include <charconv>

#include "common/http/framing_gate.h"

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

namespace {

constexpr std::size_t kMaxSizeDigits = 15;  // 2^60: no sum of sizes can overflow

bool IsExtensionCharacter(char c) { return c == '\t' || (c >= 0x20 && c < 0x7F); }

}  // namespace

ChunkedDecoder::State ChunkedDecoder::Feed(std::string_view& input, std::string& out) {
  while (state_ == State::kMore && !input.empty()) {
    switch (part_) {
      case Part::kData: state_ = FeedData(input, out); break;
      case Part::kDataEnd: state_ = FeedDataEnd(input); break;
      case Part::kSizeLine:
      case Part::kTrailer: state_ = FeedLine(input); break;
    }
  }
  return state_;
}

ChunkedDecoder::State ChunkedDecoder::FeedData(std::string_view& input, std::string& out) {
  const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
  out.append(input.substr(0, taken));
  input.remove_prefix(taken);
  left_ -= taken;
  if (left_ == 0) {
    part_ = Part::kDataEnd;
    end_seen_ = 0;
  }
  return State::kMore;
}

ChunkedDecoder::State ChunkedDecoder::FeedDataEnd(std::string_view& input) {
  const char expected = end_seen_ == 0 ? '\r' : '\n';
  if (input.front() != expected) return State::kBad;
  input.remove_prefix(1);
  if (++end_seen_ == 2) part_ = Part::kSizeLine;
  return State::kMore;
}

ChunkedDecoder::State ChunkedDecoder::FeedLine(std::string_view& input) {
  const std::size_t limit = part_ == Part::kSizeLine ? kMaxSizeLine : kMaxDropped;
  while (!input.empty()) {
    const char c = input.front();
    input.remove_prefix(1);
    const bool after_cr = !line_.empty() && line_.back() == '\r';
    if ((c == '\n') != after_cr) return State::kBad;
    if (c == '\n') {
      line_.pop_back();
      const State state = OnLine();
      line_.clear();
      return state;
    }
    line_.push_back(c);
    if (line_.size() >= limit) return State::kBad;
  }
  return State::kMore;
}

ChunkedDecoder::State ChunkedDecoder::OnLine() {
  return part_ == Part::kSizeLine ? OnSizeLine() : OnTrailer();
}

ChunkedDecoder::State ChunkedDecoder::OnSizeLine() {
  const char* begin = line_.data();
  const char* end = begin + line_.size();
  const auto [after, error] = std::from_chars(begin, end, left_, 16);
  const auto digits = static_cast<std::size_t>(after - begin);
  if (error != std::errc() || digits > kMaxSizeDigits) return State::kBad;
  if (after != end && (*after != ';' || !std::all_of(after, end, IsExtensionCharacter))) {
    return State::kBad;
  }
  dropped_ += line_.size() - digits;
  if (dropped_ > kMaxDropped) return State::kBad;
  part_ = left_ == 0 ? Part::kTrailer : Part::kData;
  if (left_ == 0) dropped_ = 0;
  return State::kMore;
}

ChunkedDecoder::State ChunkedDecoder::OnTrailer() {
  if (line_.empty()) return State::kDone;
  dropped_ += line_.size();
  return dropped_ <= kMaxDropped && IsFieldLine(line_) ? State::kMore : State::kBad;
}

}  // namespace mlprof
