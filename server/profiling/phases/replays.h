// What the phases that replay rows have in common.
#pragma once

#include "common/domain/trial.h"
#include "server/analysis/verdict.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// Adds `part` to the end of `all`.
void Append(ReplayResult& all, const ReplayResult& part);

/// Keeps the requests of a replay at concurrency 1 and at the ceiling.
void NoteSerial(RunContext& context, const ReplayResult& replay);

/// Keeps the longest latency at the ceiling.
void NoteSlowest(RunContext& context, const ReplayResult& replay);

/// Keeps when how many rows were answered in the ample container.
/// Failures of rows that did not fail without a CPU limit.
std::int64_t NewFailures(const RunContext& context, const ReplayResult& replay);

void NoteServing(RunContext& context, const ReplayResult& replay);

/// Canceled, a model that died (with its diagnosis), or a record that could not be written.
PhaseResult<void> CheckTarget(RunContext& context, RunningModel& model, const ReplayResult& replay);

/// What an open loop offered, by its own schedule, and what was served of it, in requests per
/// second.
struct ServedRate {
  double offered = 0;
  double served = 0;
};

/// nullopt for a closed loop. Random arrivals come faster or slower than their mean for a while, so
/// the mean is no measure of a short run. `usual_ms`: a latency that the last answers may take
/// after the schedule's end without telling of a backlog.
std::optional<ServedRate> RateOf(const ReplayPlan& plan, const ReplayResult& replay,
                                 double usual_ms);

/// The longest latency that is no sign of a backlog: what the objective allows, else the reference.
double AcceptableMs(RunContext& context);

void NoteRate(const std::optional<ServedRate>& rate, VerificationEvidence& evidence);

/// No request succeeded: the run fails with the first failing body. Some failed: a warning.
PhaseResult<void> CheckRows(RunContext& context, RunningModel& model, const ReplayResult& replay);

/// The trial with its measurements; `passed` and `verdict` are the caller's to set.
Trial MakeTrial(RunContext& context, const RunningModel& model, TrialPurpose purpose,
                const ReplayPlan& plan, Timestamp began, const ReplayResult& replay);

}  // namespace mlprof::phases
