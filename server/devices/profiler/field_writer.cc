#include "server/devices/profiler/field_writer.h"

#include <bit>

namespace mlprof::server::profiler {

void FieldWriter::Varint(std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) message_ += static_cast<char>((value & 0x7FU) | 0x80U);
  message_ += static_cast<char>(value);
}

void FieldWriter::Number(std::uint32_t field, std::uint64_t value) {
  Varint(std::uint64_t{field} << 3U);
  Varint(value);
}

void FieldWriter::Double(std::uint32_t field, double value) {
  Varint(std::uint64_t{field} << 3U | 1U);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 0; shift < 64; shift += 8) {
    message_ += static_cast<char>(bits >> shift & 0xFFU);
  }
}

void FieldWriter::Bytes(std::uint32_t field, std::string_view bytes) {
  Varint(std::uint64_t{field} << 3U | 2U);
  Varint(bytes.size());
  message_ += bytes;
}

}  // namespace mlprof::server::profiler
