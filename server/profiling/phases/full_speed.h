// How fast the model is without a CPU limit: what limits are judged beside where no latency was
// asked for. Other work on the host makes slow, never fast, so the fastest look counts.
#pragma once

#include "common/domain/trial.h"
#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// Keeps a run's p95 as the reference if it is the lowest so far and the run tells of full speed:
/// the objective's load, enough requests, and no quota that held it back.
void NoteFullSpeed(RunContext& context, const Trial& trial);

/// A p95 so many times the reference, at the same limits: the host has become slower meanwhile.
inline constexpr double kSlowerHost = 1.05;

}  // namespace mlprof::phases
