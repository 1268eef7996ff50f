// Phase "verify": three fresh containers at exactly the answer, swap off, must hold the objective.
// What falls short is raised and proven anew.
#pragma once

#include <optional>
#include <vector>

#include "server/profiling/phases/limited_run.h"
#include "server/profiling/run_context.h"
#include "server/profiling/run_end.h"

namespace mlprof::phases {

/// Fresh containers that must pass.
inline constexpr int kContainers = 3;

/// The limits that passed, with their runs.
struct Proof {
  Limits limits;
  std::vector<LimitedRun> passes;
};

/// Leaves the recommendation and its measurements in the profile. Nothing where no limits passed
/// before the budget or the ceiling was reached; the profile is marked `unverified` then.
PhaseResult<std::optional<Proof>> Verify(RunContext& context);

/// Makes `proof` the profile's answer. `tight` is known once its limits are the last: then the load
/// they sustain beyond the objective's is measured, as far as the budget goes.
void Accept(RunContext& context, const Proof& proof, const std::vector<FailedTry>& failed,
            std::optional<bool> tight);

/// How long one of `containers` runs may take, with what is left of the budget.
LimitedRunPlan ProofPlan(RunContext& context, const Limits& limits, TrialPurpose purpose,
                         int containers);

}  // namespace mlprof::phases
