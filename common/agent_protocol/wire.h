// The primitives of a frame's payload: little-endian integers, IEEE doubles, and strings with a
// u32 length. WireReader never reads past its input; the first fault sticks and every later read
// gives zero, so that a decoder checks once, at its end. FrameScope puts a payload into its frame.
// For the codecs of this folder.
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/agent_protocol/frame.h"

namespace mlprof::agent_protocol {

static_assert(std::endian::native == std::endian::little, "the wire format is the native one");

class WireWriter {
 public:
  /// Appends to `out`, which outlives the writer.
  explicit WireWriter(std::string& out) : out_(out) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  void Put(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
  }
  void Put(std::chrono::nanoseconds value) { Put<std::int64_t>(value.count()); }
  void Text(std::string_view text) {
    Put(static_cast<std::uint32_t>(text.size()));
    out_.append(text);
  }

 private:
  std::string& out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view in) : in_(in) {}

  template <class T>
  requires std::is_arithmetic_v<T> T Get() {
    T value{};
    if (in_.size() < sizeof(T)) {
      ok_ = false;
      in_ = {};
      return value;
    }
    std::memcpy(&value, in_.data(), sizeof(T));
    in_.remove_prefix(sizeof(T));
    return value;
  }
  std::chrono::nanoseconds Nanoseconds() { return std::chrono::nanoseconds(Get<std::int64_t>()); }
  /// A flag is exactly 0 or 1.
  bool Flag() {
    const auto value = Get<std::uint8_t>();
    if (value > 1) ok_ = false;
    return value == 1;
  }
  /// A view into the input.
  std::string_view Text() {
    const auto size = Get<std::uint32_t>();
    if (size > in_.size()) {
      ok_ = false;
      in_ = {};
      return {};
    }
    const std::string_view text = in_.substr(0, size);
    in_.remove_prefix(size);
    return text;
  }
  /// How many list entries follow; no more than the bytes left could hold, so that a false count
  /// reserves nothing.
  std::uint32_t Count(std::size_t smallest_entry) {
    const auto count = Get<std::uint32_t>();
    if (count > in_.size() / smallest_entry) {
      ok_ = false;
      in_ = {};
      return 0;
    }
    return count;
  }
  std::string_view Rest() {
    const std::string_view rest = in_;
    in_ = {};
    return rest;
  }

  bool ok() const { return ok_; }
  /// All read, and nothing was wrong.
  bool Finished() const { return ok_ && in_.empty(); }

 private:
  std::string_view in_;
  bool ok_ = true;
};

/// How a message becomes a frame: opens one at the end of `out`; the length is filled in when it
/// goes.
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
