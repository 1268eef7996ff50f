// The rows of JSON and JSON-lines texts. Pure.
#pragma once

#include <string_view>

#include "common/domain/dataset.h"
#include "common/result/result.h"

namespace mlprof {

/// As DecodeRows.
Result<Rows> DecodeJsonLines(std::string_view body);
Result<Rows> DecodeJsonRows(std::string_view body);

}  // namespace mlprof
