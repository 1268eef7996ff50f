// Phase "preflight": what the host lets one measure. A server that does nothing is replayed in the
// model's place, over the same way, for what the replay itself can do; meanwhile the host is
// watched for other work.
#pragma once

#include "common/domain/findings.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/workload.h"

namespace mlprof::server::phases {

/// Nothing where the null target could not be measured: the model may well run where it cannot.
/// `when_quiet`: not before the machine is (server/profiling/phases/quiet.h).
PhaseResult<std::optional<ReplayCapacity>> Preflight(Lab& lab, const Setup& setup,
                                                     const Workload& workload, bool when_quiet);

/// What the replay can do should be so many times what is asked of it.
inline constexpr double kReplayHeadroom = 1.25;

/// Whether so many requests a second leave less room than that: then the replay would be measured,
/// not the model.
bool IsReplayBound(const std::optional<ReplayCapacity>& capacity, double requests_per_second);

}  // namespace mlprof::server::phases
