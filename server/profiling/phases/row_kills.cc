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
  if (replay.killer) {
    observed.last_row = replay.killer;
    return;
  }
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

// The model itself may have gone on.
ProfileError Diagnose(const ReplayResult& replay, const DeathEvidence& death) {
  if (replay.target_lost || death.oom_kills > 0) return DiagnoseDeath(death);
  return {"ModelCrashed",
          "a process of the model died and the model went on without it",
          {"see the model's own log: mlprof profile logs"},
          death.log_tail};
}

bool MayLeaveOut(const RunContext& context, std::uint32_t row) {
  return context.left_out.size() < kMostKills &&
         context.left_out.size() + 1 < context.rows.size() && !context.left_out.contains(row);
}

PhaseResult<bool> GiveUp(RunContext& context, RunningModel& model, const ReplayResult& replay,
                         const DeathEvidence& death) {
  if (replay.target_lost) {
    return tl::unexpected<RunEnd>(CheckTarget(context, model, replay).error());
  }
  ProfileError error = Diagnose(replay, death);
  error.message += "; the last row it took was " + std::to_string(*replay.killer);
  return FailRun(std::move(error));
}

PhaseResult<bool> StartFresh(RunContext& context, std::unique_ptr<RunningModel>& model) {
  model.reset();
  auto fresh = RunningModel::Launch(context, {context.ceiling, context.measuring_cpuset});
  if (!fresh) return tl::unexpected<RunEnd>(fresh.error());
  model = std::move(*fresh);
  if (const auto ready = model->Start(); !ready) {
    if (context.stop.stop_requested()) return Canceled();
    if (model->RanOutOfBudget())
      return TimedOut("the budget was used up before the model was ready");
    return FailRun(DiagnoseDeath(ready.error()));
  }
  return true;
}

}  // namespace

PhaseResult<bool> ReplaceKilled(RunContext& context, std::unique_ptr<RunningModel>& model,
                                const ReplayResult& replay) {
  NoteLastRow(context, replay);
  if (!replay.target_lost && !replay.killer) return false;
  if (replay.stopped || context.stop.stop_requested()) return false;
  const DeathEvidence death = model->Death();
  const auto row = context.observed.last_row;
  const bool starved = death.oom_kills > 0;
  // Memory that a row lacks is the ceiling's fault, not the row's. But a model that goes on without
  // a worker has an answer for the other rows.
  if (!row || !MayLeaveOut(context, *row) || (replay.target_lost && starved)) {
    return GiveUp(context, *model, replay, death);
  }
  LeaveOut(context, *row, Diagnose(replay, death));
  context.observed.last_row_broke = false;
  // What it served so far it served with processes that are gone.
  context.observed.serving.clear();
  // What a row took until the kernel killed for it would stay the container's largest need.
  if (!replay.target_lost && !starved) return true;
  return StartFresh(context, model);
}

}  // namespace mlprof::phases
