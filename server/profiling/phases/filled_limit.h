// How full a limit was that held. Pure.
#pragma once

#include "server/profiling/phases/limited_run.h"

namespace mlprof::server::phases {

/// A limit that was filled to more than this share held by luck (docs/decisions, 14).
inline constexpr int kFullestPercent = 95;

/// Whether a limit that only a restart can try, and that held in `run`, may become the answer: not
/// if it was filled nearly to the brim, if files had to be read back for want of it, if rows that
/// keep memory were not all sent, or if it is less than what no run need have met
/// (Workload::least_memory).
bool MayBecomeAnswer(const Yardstick& yardstick, const LimitedRun& run, ResourceKind resource);

/// The same of other limits, by what `run` used.
bool LeavesRoom(const Yardstick& yardstick, const LimitedRun& run, const Limits& limits,
                ResourceKind resource);

/// Whether a run took clearly less memory than the model took at the ceiling while its limit was
/// full, its files counted: another container may take as much as there, and thrash. Not for a
/// heap that follows the limit, which takes less with less.
bool TookLessWhereFull(const Yardstick& yardstick, const LimitedRun& run);

}  // namespace mlprof::server::phases
