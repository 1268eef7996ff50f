// What was thrown, put into the log where it ends.
#pragma once

#include <string_view>

namespace mlprof {

/// Inside a catch block, that of `...` too: logs `event` with `where` and what was thrown. Where
/// even that needs more memory than there is, nothing is logged.
void LogThrown(std::string_view event, std::string_view where) noexcept;

}  // namespace mlprof
