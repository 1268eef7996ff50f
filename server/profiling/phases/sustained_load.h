// What a verified answer holds beyond the load it was asked for.
#pragma once

#include "common/domain/recommendation.h"
#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// One more fresh container at the limits of `answer`, under more and more load for a few seconds
/// each, until the objective breaks; no more than the replay can drive by itself. `answer` names
/// the objective's load as sustained, which is raised to the most that held. More load than
/// the objective's, and a tenth of the budget, only end it: the answer stands. Where the container
/// does not even bear the objective's, the profile warns (`unsteady`) and confidence is low.
void MeasureSustainedLoad(RunContext& context, Recommendation& answer);

}  // namespace mlprof::phases
