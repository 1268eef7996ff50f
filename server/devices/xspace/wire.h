// The fields of a protobuf message that lies in memory, one after the other, without its schema and
// without a copy. Pure; what it gives points into the bytes it was given.
#pragma once

#include <cstdint>
#include <string_view>

namespace mlprof::server::xspace {

enum class FieldKind : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  std::uint32_t number = 0;
  FieldKind kind = FieldKind::kVarint;
  std::uint64_t value = 0;  // of a number, as it stands on the wire
  std::string_view bytes;   // of kBytes

  bool IsNumber() const { return kind == FieldKind::kVarint; }
  bool IsBytes() const { return kind == FieldKind::kBytes; }
  std::int64_t Signed() const { return static_cast<std::int64_t>(value); }
  double Double() const;  // of kFixed64
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// The next field; false at the end of the message, and where what follows is no field: then ok()
  /// is false.
  bool Next(Field& field);
  bool ok() const { return ok_; }

 private:
  bool Varint(std::uint64_t& value);
  bool Fixed(std::size_t size, std::uint64_t& value);
  bool Broken();

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

/// Calls `take(number)` for each number of a repeated field, packed or not.
template <class Take>
void ForEachNumber(const Field& field, Take take) {
  if (field.IsNumber()) return take(field.value);
  // A packed list is a message without keys: read as the varints it consists of.
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char c : field.bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    shift += 7;
    if ((byte & 0x80U) != 0) continue;
    take(value);
    value = 0;
    shift = 0;
  }
}

}  // namespace mlprof::server::xspace
