// What the phases that replay rows have in common.
#pragma once

#include "common/domain/trial.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// The rows' indices in the seeded random order of this profile.
std::vector<std::uint32_t> SeededOrder(const RunContext& context);

/// Adds `part` to the end of `all`.
void Append(ReplayResult& all, const ReplayResult& part);

/// Keeps the requests of a replay at concurrency 1 and at the ceiling in the findings.
void NoteSerial(RunContext& context, const ReplayResult& replay);

/// Canceled, a model that died (with its diagnosis), or a record that could not be written.
PhaseResult<void> CheckTarget(RunContext& context, RunningModel& model, const ReplayResult& replay);

/// No request succeeded: the run fails with the first failing body. Some failed: a warning.
PhaseResult<void> CheckRows(RunContext& context, const ReplayResult& replay);

/// The trial with its measurements; `passed` and `verdict` are the caller's to set.
Trial MakeTrial(RunContext& context, const RunningModel& model, TrialPurpose purpose,
                int concurrency, Timestamp began, const ReplayResult& replay);

/// The need as `replay` and all before it show it, and the unverified answer that follows, with the
/// measurements of `trial`. `other_cores`: what other work used meanwhile, where it was too much to
/// be passed over; under concurrent rows the model may have wanted those.
void AnswerSoFar(RunContext& context, RunningModel& model, const ReplayResult& replay,
                 const Trial& trial, double other_cores = 0);

}  // namespace mlprof::phases
