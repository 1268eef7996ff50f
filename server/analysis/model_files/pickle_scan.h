// Walks over a pickle's instructions with a stack of what they would push, and makes none of its
// objects: no class is looked up and nothing is called. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/analysis/model_files/byte_cursor.h"

namespace mlprof::server {

/// A value on the stack, as far as it is of interest.
struct PickleValue {
  enum class Kind { kMark, kText, kGlobal, kNumber, kTuple, kOther };
  Kind kind = Kind::kOther;
  std::string text = {};  // of a global "module.name"
  std::int64_t number = 0;
  std::vector<PickleValue> items = {};  // of a tuple: what is no tuple itself, the first eight
};

struct PickleFacts {
  std::vector<std::string> globals = {};  // "module.name", each once, the first hundred
  std::vector<PickleValue> persistent_ids = {};
  bool whole = false;  // the pickle's end was reached
};

/// As far as it can be followed: `whole` is false where it is cut, where other data stands in it
/// (as joblib writes arrays), or where it is larger than is read.
PickleFacts ScanPickle(ByteCursor& cursor);

}  // namespace mlprof::server
