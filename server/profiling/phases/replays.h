// What the phases that replay rows have in common.
#pragma once

#include <optional>
#include <string>

#include "common/domain/trial.h"
#include "server/analysis/verdict.h"
#include "server/profiling/lab/lab.h"
#include "server/profiling/lab/workload.h"

namespace mlprof::server::phases {

/// Adds `part` to the end of `all`.
void Append(ReplayResult& all, const ReplayResult& part);

/// The longest latency, in milliseconds; 0 where nothing was answered.
double SlowestMs(const ReplayResult& replay);

/// Canceled, a model that died (with its diagnosis), or a budget that ended before a response came.
PhaseResult<void> CheckTarget(Lab& lab, Container& container, const ReplayResult& replay);

/// CheckTarget, and of a model of several processes that the kernel killed none of them for memory:
/// at the ceiling, under no more than the objective's load, it lacks what nobody can give it.
PhaseResult<void> CheckWhole(Lab& lab, Container& container, const ReplayResult& replay);

/// More rows failed than the objective allows, but not all.
struct FailedRows {
  std::string message;
  std::string advice;
};

/// The end of the run for rows that failed, some of `replay`, with the first failing body.
RunEnd RowsFailed(const Container& container, const ReplayResult& replay);

/// The end of the run where no request succeeded, with the first failing body.
PhaseResult<std::optional<FailedRows>> CheckRows(const Container& container,
                                                 const Objective& objective,
                                                 const ReplayResult& replay);

/// What an open loop offered, by its own schedule, and what was served of it, in requests per
/// second.
struct ServedRate {
  double offered = 0;
  double served = 0;
};

/// nullopt for a closed loop. Random arrivals come faster or slower than their mean for a while, so
/// the mean is no measure of a short run. `usual_ms`: a latency that the last responses may take
/// after the schedule's end without telling of a backlog.
std::optional<ServedRate> RateOf(const ReplayPlan& plan, const ReplayResult& replay,
                                 double usual_ms);

/// Of the rate in the evidence; a closed loop has none.
void SetRate(const std::optional<ServedRate>& rate, VerificationEvidence& evidence);

/// The trial with its measurements; `passed` and `verdict` are the caller's to set.
Trial MakeTrial(const Container& container, const Workload& workload, TrialPurpose purpose,
                const ReplayPlan& plan, Timestamp began, const ReplayResult& replay);

}  // namespace mlprof::server::phases
