// An outcome as bytes on a connection, well formed or bad in the manner asked for.
#pragma once

#include <string_view>

#include "tests/targets/target/work.h"

namespace target {

/// False where the connection cannot or shall not be used any more; the caller closes it.
bool SendAll(int connection, std::string_view bytes);
bool SendResponse(int connection, const Outcome& outcome);

}  // namespace target
