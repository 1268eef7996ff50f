// Where a load is about what this host can replay at all, the replay would be measured, not the
// model.
#pragma once

#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// What the replay can do should be so many times what is asked of it.
inline constexpr double kReplayHeadroom = 1.25;

/// Warns, once, where so many requests a second leave less room than that; whether they do.
bool WarnIfReplayBound(RunContext& context, double requests_per_second);

}  // namespace mlprof::phases
