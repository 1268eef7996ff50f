// What a verified answer holds beyond the load it was asked for.
#pragma once

#include "common/domain/recommendation.h"
#include "server/profiling/run_context.h"

namespace mlprof::phases {

/// One more fresh container at the limits of `answer`, under more and more load for a few seconds
/// each, until the objective breaks; no more than the replay can drive by itself. `answer` names
/// the objective's load as sustained, which is raised to the most that held. Whatever goes wrong
/// only ends it, as does a tenth of the budget: the answer stands.
void MeasureSustainedLoad(RunContext& context, Recommendation& answer);

}  // namespace mlprof::phases
