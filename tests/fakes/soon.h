// A deadline for what ends by itself: only what hangs meets it, on the busiest machine too.
#pragma once

#include "common/time/deadline.h"

namespace mlprof::fakes {

inline Deadline Soon() { return Deadline::After(std::chrono::seconds(60)); }

}  // namespace mlprof::fakes
