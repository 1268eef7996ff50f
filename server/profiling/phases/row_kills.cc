#include "server/profiling/phases/row_kills.h"

#include <algorithm>

#include "server/profiling/phases/replays.h"

namespace mlprof::phases {
namespace {

// More rows than these, and it is not the row.
constexpr std::size_t kMostKills = 3;

bool Broke(const RequestRecord& request) {
  return request.failure == agent_protocol::RowFailure::kReset ||
         request.failure == agent_protocol::RowFailure::kConnect;
}

// The last row of a replay may end the model after the replay has ended; rows of the next one that
// broke from its beginning on then broke because of it.
void NoteLastRow(RunContext& context, const ReplayResult& replay) {
  Observations& observed = context.observed;
  const bool all_broke = std::all_of(replay.requests.begin(), replay.requests.end(), Broke);
  if (observed.last_row_broke && all_broke) return;
  if (const auto taken = replay.LastRowTaken()) observed.last_row = taken;
  observed.last_row_broke = !replay.requests.empty() && Broke(replay.requests.back());
}

void LeaveOut(RunContext& context, std::uint32_t row, const ProfileError& death) {
  context.left_out.insert(row);
  auto& killing = context.profile().findings.killing_rows;
  killing.push_back(row);
  std::string rows;
  for (const std::int64_t killer : killing) {
    rows += (rows.empty() ? "" : ", ") + std::to_string(killer);
  }
  context.recorder.WarnAnew(
      {"rowKills",
       "rows that end the model were left out (zero-based): " + rows + "; " + death.message,
       "send them to the model yourself; a limit on the size of a request may be what it lacks"});
}

}  // namespace

PhaseResult<bool> ReplaceKilled(RunContext& context, std::unique_ptr<RunningModel>& model,
                                const ReplayResult& replay) {
  NoteLastRow(context, replay);
  if (!replay.target_lost || replay.stopped || context.stop.stop_requested()) return false;
  const DeathEvidence death = model->Death();
  const auto row = context.observed.last_row;
  const bool too_many =
      context.left_out.size() >= kMostKills || context.left_out.size() + 1 >= context.rows.size();
  // Memory that a row lacks is the ceiling's fault, not the row's.
  if (!row || too_many || death.oom_kills > 0 || context.left_out.contains(*row)) {
    return tl::unexpected<RunEnd>(CheckTarget(context, *model, replay).error());
  }
  LeaveOut(context, *row, DiagnoseDeath(death));
  context.observed.last_row_broke = false;
  model.reset();
  auto fresh = RunningModel::Launch(context, {context.ceiling, context.measuring_cpuset});
  if (!fresh) return tl::unexpected<RunEnd>(fresh.error());
  model = std::move(*fresh);
  // What it served so far it served in another container.
  context.observed.serving.clear();
  if (const auto ready = model->Start(); !ready) {
    if (context.stop.stop_requested()) return Canceled();
    if (model->RanOutOfBudget())
      return TimedOut("the budget was used up before the model was ready");
    return FailRun(DiagnoseDeath(ready.error()));
  }
  return true;
}

}  // namespace mlprof::phases
