#include "server/analysis/model_files/wire_reader.h"

namespace mlprof::server {

bool NextField(ByteCursor& cursor, WireField& field) {
  if (!cursor.ok() || cursor.left() == 0) return false;
  const std::uint64_t key = cursor.Varint();
  field = {key >> 3U, static_cast<WireType>(key & 7U)};
  switch (field.type) {
    case WireType::kVarint: field.value = cursor.Varint(); break;
    case WireType::kFixed64: field.value = cursor.U64(); break;
    case WireType::kFixed32: field.value = cursor.U32(); break;
    case WireType::kBytes:
      field.length = cursor.Varint();
      if (field.length > cursor.left()) cursor.Break("the file ends within what it holds");
      break;
    default: cursor.Break("it is no protobuf message");
  }
  if (field.number == 0) cursor.Break("it is no protobuf message");
  return cursor.ok();
}

}  // namespace mlprof::server
