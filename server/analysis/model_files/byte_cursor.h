// Reads a part of a file from its beginning to its end: numbers and texts, little-endian, nothing
// beyond the part. An error stays: what is read behind it is 0 or empty, and state() tells it, so
// that a loop asks ok() once a round. Pure over RandomBytes; one thread.
#pragma once

#include <cstdint>
#include <string>

#include "server/analysis/model_files/random_bytes.h"

namespace mlprof::server {

class ByteCursor {
 public:
  /// The part from `begin` to before `end`, which is cut to the file.
  ByteCursor(RandomBytes& bytes, std::uint64_t begin, std::uint64_t end);
  explicit ByteCursor(RandomBytes& bytes) : ByteCursor(bytes, 0, bytes.size()) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return end_ - at_; }
  bool ok() const { return state_.has_value(); }
  const Status& state() const { return state_; }
  /// Makes `why` its error, unless it has one.
  void Break(std::string why);

  std::uint8_t U8() { return static_cast<std::uint8_t>(Number(1)); }
  std::uint16_t U16() { return static_cast<std::uint16_t>(Number(2)); }
  std::uint32_t U32() { return static_cast<std::uint32_t>(Number(4)); }
  std::uint64_t U64() { return Number(8); }
  /// A base-128 number of 64 bits at most, as protobuf and LevelDB write it.
  std::uint64_t Varint();
  /// An error where it would be longer than `most`.
  std::string Text(std::uint64_t length, std::uint64_t most);
  /// As far as `end`, which is read too, and `most` characters at most.
  std::string Until(char end, std::uint64_t most);
  void Skip(std::uint64_t length);

 private:
  std::uint64_t Number(int bytes);
  /// The next byte; the buffer is filled where that is needed.
  unsigned char Next();
  void Fill();

  RandomBytes& bytes_;
  std::uint64_t at_;
  std::uint64_t end_;
  std::string buffer_ = {};
  std::uint64_t buffer_begins_ = 0;
  std::uint64_t read_ = 0;  // in all
  Status state_ = {};
};

/// The same bytes in memory.
class BytesInMemory : public RandomBytes {
 public:
  explicit BytesInMemory(std::string text) : text_(std::move(text)) {}
  std::uint64_t size() const override { return text_.size(); }
  Status Read(std::uint64_t offset, std::span<char> into) override;

 private:
  std::string text_;
};

}  // namespace mlprof::server
