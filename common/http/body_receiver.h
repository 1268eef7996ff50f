// The body of one request as its head frames it, by length or in chunks (RFC 9112 §6 and §7),
// decoded piece by piece under a limit. Pure; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/http/framing_gate.h"
#include "common/units/bytes.h"

namespace mlprof {

/// Decodes a chunked body piece by piece (RFC 9112 §7.1), strictly: a size line of at most 256
/// bytes, extensions checked and dropped, trailers checked and dropped.
class ChunkedDecoder {
 public:
  static constexpr std::size_t kMaxSizeLine = 256;
  /// All extensions, and all trailers, of one body.
  static constexpr std::size_t kMaxDropped = 8 << 10;

  enum class State { kMore, kDone, kBad };

  /// Takes bytes off `input` and appends what they decode to to `out`. At kDone the rest of `input`
  /// belongs to the next request; otherwise all of it was taken. kBad is final.
  State Feed(std::string_view& input, std::string& out);

 private:
  enum class Part { kSizeLine, kData, kDataEnd, kTrailer };

  State FeedData(std::string_view& input, std::string& out);
  State FeedDataEnd(std::string_view& input);
  State FeedLine(std::string_view& input);
  State OnLine();
  State OnSizeLine();
  State OnTrailer();

  Part part_ = Part::kSizeLine;
  State state_ = State::kMore;
  std::string line_;          // of kSizeLine and kTrailer, until its CRLF
  std::uint64_t left_ = 0;    // kData: bytes of this chunk still to come
  std::size_t end_seen_ = 0;  // kDataEnd: bytes of its CRLF seen
  std::size_t dropped_ = 0;
};

/// Takes a body of either kind, or none.
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
