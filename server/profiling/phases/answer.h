// The answer as far as it is known, and how sure it is.
#pragma once

#include "common/domain/trial.h"
#include "server/profiling/run_context.h"
#include "server/profiling/running_model.h"

namespace mlprof::phases {

/// The need as `replay` and all before it show it, and the unverified answer that follows, with the
/// measurements of `trial`. `other_cores`: what other work used meanwhile, where it was too much to
/// be passed over; the model may have wanted those.
void AnswerSoFar(RunContext& context, RunningModel& model, const ReplayResult& replay,
                 const Trial& trial, double other_cores = 0);

/// The limits that all seen so far asks for.
Limits CurrentLimits(const RunContext& context);

/// The recommendation at `limits` with what the profile has found beside it: pools to set, what it
/// sustains where `trial` is a run at these limits.
Recommendation AnswerAt(RunContext& context, const Limits& limits,
                        const std::vector<FailedTry>& failed);

}  // namespace mlprof::phases
