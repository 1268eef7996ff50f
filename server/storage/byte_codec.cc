#include "server/storage/byte_codec.h"

#include <bit>

namespace mlprof::server {

void ByteWriter::Unsigned(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::Signed(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  Unsigned((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::Double(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  Fixed32(static_cast<std::uint32_t>(bits));
  Fixed32(static_cast<std::uint32_t>(bits >> 32));
}

void ByteWriter::OptionalDouble(std::optional<double> value) {
  bytes_.push_back(value ? '\1' : '\0');
  if (value) Double(*value);
}

void ByteWriter::Fixed32(std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes_.push_back(static_cast<char>((value >> shift) & 0xff));
  }
}

std::uint8_t ByteReader::Byte() {
  if (bytes_.empty()) {
    ok_ = false;
    return 0;
  }
  const auto byte = static_cast<std::uint8_t>(bytes_.front());
  bytes_.remove_prefix(1);
  return byte;
}

std::uint64_t ByteReader::Unsigned() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = Byte();
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  ok_ = false;
  return 0;
}

std::int64_t ByteReader::Signed() {
  const std::uint64_t bits = Unsigned();
  return static_cast<std::int64_t>((bits >> 1) ^ ((bits & 1) ? ~std::uint64_t{0} : 0));
}

double ByteReader::Double() {
  const std::uint64_t low = Fixed32();
  const std::uint64_t high = Fixed32();
  return std::bit_cast<double>(low | (high << 32));
}

std::optional<double> ByteReader::OptionalDouble() {
  return Byte() != 0 ? std::optional<double>(Double()) : std::nullopt;
}

std::uint32_t ByteReader::Fixed32() {
  std::uint32_t value = 0;
  for (int shift = 0; shift < 32; shift += 8) value |= static_cast<std::uint32_t>(Byte()) << shift;
  return value;
}

}  // namespace mlprof::server
