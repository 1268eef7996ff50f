// Little-endian bytes and variable-length integers (LEB128; signed ones zigzag), for the blobs of
// the database. Values; no errors while writing, one sticky error while reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mlprof::server {

class ByteWriter {
 public:
  void Unsigned(std::uint64_t value);
  void Signed(std::int64_t value);
  /// 8 bytes as they are.
  void Double(double value);
  void OptionalDouble(std::optional<double> value);  // a byte 0 or 1 before it
  void Fixed32(std::uint32_t value);
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t Unsigned();
  std::int64_t Signed();
  double Double();
  std::optional<double> OptionalDouble();
  std::uint32_t Fixed32();

  bool AtEnd() const { return bytes_.empty(); }
  /// False once something was read that was not there; reads give 0 from then on.
  bool ok() const { return ok_; }

 private:
  std::uint8_t Byte();

  std::string_view bytes_;
  bool ok_ = true;
};

// In unsigned arithmetic, which wraps, so that no pair of stored values is out of range.
inline std::int64_t Difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t Sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace mlprof::server
