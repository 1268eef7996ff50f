// The records of a pax extended header: "LENGTH KEY=VALUE\n", LENGTH counting all of it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/result/result.h"

namespace mlprof {

/// What matters of them; every other key but GNU's sparse ones is passed over.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::int64_t> size;
};

/// kInvalidArgument for damaged records, a key given twice, and sparse files.
Result<PaxRecords> DecodePaxRecords(std::string_view text);

}  // namespace mlprof
