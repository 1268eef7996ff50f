// A registered dataset: one column of request bodies. The rows themselves stay in storage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/domain/warning.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof {

/// What a dataset's rows are to a text whose lines they are to be.
enum class RowForm {
  kLines,
  kMultiLine,  // text, some row of which holds a line end
  kBinary,     // some row is no text
};

struct Dataset {
  std::string id;  // "name:version"
  std::string workspace;
  std::string name;
  int version = 0;
  std::string description;
  std::int64_t row_count = 0;
  std::int64_t distinct_row_count = 0;
  Bytes size;          // sum of the rows
  std::string sha256;  // hex digest of the rows, as they are kept; "" where it is not known
  Timestamp created;
  RowForm form = RowForm::kLines;
  std::vector<Warning> warnings;  // about its rows; a profile with it has them too
};

/// Request bodies in order, as bytes.
using Rows = std::vector<std::string>;

}  // namespace mlprof
