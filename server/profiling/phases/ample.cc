#include "server/profiling/phases/ample.h"

#include <algorithm>

#include "server/analysis/resource_use.h"
#include "server/profiling/phases/replays.h"

namespace mlprof::server::phases {
namespace {

// After more rows than these that ended the model, it is not the rows' fault. Chosen.
constexpr std::size_t kMostKills = 3;

bool Broke(const RequestRecord& request) {
  return request.failure == agent_protocol::RowFailure::kReset ||
         request.failure == agent_protocol::RowFailure::kConnect;
}

// The model itself may have gone on.
ProfileError Diagnose(const ReplayResult& replay, const DeathEvidence& death) {
  if (replay.target_lost || death.oom_kills > 0) return DiagnoseDeath(death);
  return {"ModelCrashed",
          "a process of the model died and the model went on without it",
          {"see the model's own log: mlprof profile logs"},
          EvidenceOf(death.log_tail)};
}

}  // namespace

PhaseResult<void> Ample::Launch(PageCache page_cache) {
  if (container_) container_->Close();
  container_.reset();
  MLPROF_LET(fresh,
             lab_.Launch({lab_.ceiling(), setup_, lab_.NextSeed(), page_cache, Use::kObjective}));
  container_ = std::move(fresh);
  return {};
}

// Notes which row the model took last. The last row of a replay may end the model after that replay
// is over. If then every row of the next replay breaks, it stays the one to blame.
void Ample::SeeLastRow(const ReplayResult& replay) {
  if (replay.killer) {
    last_row_ = replay.killer;
    return;
  }
  const bool all_broke = std::all_of(replay.requests.begin(), replay.requests.end(), Broke);
  if (last_row_broke_ && all_broke) return;
  if (const auto taken = replay.LastRowTaken()) last_row_ = taken;
  last_row_broke_ = !replay.requests.empty() && Broke(replay.requests.back());
}

bool Ample::MayLeaveOut(std::uint32_t row) const {
  const auto& rows = kills_.rows;
  return rows.size() < kMostKills && rows.size() + 1 < lab_.rows().count() &&
         std::find(rows.begin(), rows.end(), row) == rows.end();
}

PhaseResult<void> Ample::Renew() {
  if (auto started = StartFresh(); !started) return tl::unexpected<RunEnd>(started.error());
  return {};
}

std::optional<FatalGrowth> Ample::FindGrowth() const {
  if (!container_ || container_->served().empty()) return std::nullopt;
  return FindFatalGrowth(container_->Samples(), container_->served(), container_->watched(),
                         lab_.ceiling().memory());
}

Bytes Ample::MappedFile() const {
  if (!container_ || container_->served().empty()) return {};
  return Summarize(container_->Samples()).peak_mapped_file;
}

PhaseResult<bool> Ample::GiveUp(const ReplayResult& replay, const DeathEvidence& death) {
  if (replay.target_lost) {
    return tl::unexpected<RunEnd>(CheckTarget(lab_, *container_, replay).error());
  }
  ProfileError error = Diagnose(replay, death);
  error.message += "; the last row it took was " + std::to_string(*replay.killer);
  return FailRun(std::move(error));
}

PhaseResult<bool> Ample::StartFresh() {
  if (auto launched = Launch(PageCache::kAsItIs); !launched) {
    return tl::unexpected<RunEnd>(launched.error());
  }
  if (const auto ready = container_->Start(); !ready) {
    if (lab_.stopped()) return Canceled();
    if (container_->RanOutOfBudget()) {
      return TimedOut("the budget was used up before the model was ready");
    }
    return FailRun(DiagnoseDeath(ready.error()));
  }
  return true;
}

PhaseResult<bool> Ample::ReplaceKilled(const ReplayResult& replay) {
  SeeLastRow(replay);
  if (!replay.target_lost && !replay.killer) return false;
  if (replay.stopped || lab_.stopped()) return false;
  const DeathEvidence death = container_->Death();
  const bool starved = death.oom_kills > 0;
  if (container_->WasEndedForDisk()) return FailRun(DiagnoseDeath(death));
  // No row is to blame for what all of them left behind.
  if (starved && FindGrowth()) return FailRun(DiagnoseDeath(death));
  // Memory that a row lacks is the ceiling's fault, not the row's. But a model that goes on without
  // a worker has a response for the other rows.
  if (!last_row_ || !MayLeaveOut(*last_row_) || (replay.target_lost && starved)) {
    return GiveUp(replay, death);
  }
  kills_.rows.push_back(*last_row_);
  kills_.death = Diagnose(replay, death).message;
  last_row_broke_ = false;
  // A fresh container, because the memory that the row took until the kernel killed for it would
  // stay in this one's peak.
  if (replay.target_lost || starved) return StartFresh();
  container_->ForgetServed();
  return true;
}

}  // namespace mlprof::server::phases
