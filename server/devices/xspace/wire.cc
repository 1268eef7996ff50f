#include "server/devices/xspace/wire.h"

#include <bit>

namespace mlprof::server::xspace {

double Field::Double() const { return std::bit_cast<double>(value); }

bool FieldReader::Broken() {
  ok_ = false;
  at_ = end_;
  return false;
}

bool FieldReader::Varint(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) return Broken();
    const auto byte = static_cast<unsigned char>(*at_++);
    if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return true;
  }
  return Broken();
}

bool FieldReader::Fixed(std::size_t size, std::uint64_t& value) {
  if (static_cast<std::size_t>(end_ - at_) < size) return Broken();
  value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(at_[i])) << (8 * i);
  }
  at_ += size;
  return true;
}

bool FieldReader::Next(Field& field) {
  if (at_ == end_) return false;
  std::uint64_t key = 0;
  if (!Varint(key)) return false;
  if (key >> 3U == 0 || key >> 32U != 0) return Broken();
  field.number = static_cast<std::uint32_t>(key >> 3U);
  field.kind = static_cast<FieldKind>(key & 7U);
  switch (field.kind) {
    case FieldKind::kVarint: return Varint(field.value);
    case FieldKind::kFixed64: return Fixed(8, field.value);
    case FieldKind::kFixed32: return Fixed(4, field.value);
    case FieldKind::kBytes: {
      std::uint64_t size = 0;
      if (!Varint(size)) return false;
      if (size > static_cast<std::uint64_t>(end_ - at_)) return Broken();
      field.bytes = {at_, static_cast<std::size_t>(size)};
      at_ += size;
      return true;
    }
  }
  return Broken();  // the groups of proto 2, which no writer of these messages knows
}

}  // namespace mlprof::server::xspace
