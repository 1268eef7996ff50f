// The fields of a protobuf message, one after the other, without its schema. Pure.
#pragma once

#include <cstdint>

#include "server/analysis/model_files/byte_cursor.h"

namespace mlprof::server {

enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;   // of a number
  std::uint64_t length = 0;  // of kBytes: what stands at the cursor
};

/// Reads the next field's head, and its value where it is a number; of kBytes the content is left
/// to the caller, to read or to skip. False at the end of the message and after an error.
bool NextField(ByteCursor& cursor, WireField& field);

}  // namespace mlprof::server
