#include "server/profiling/queue/stored_journal.h"

#include "common/log/log.h"
#include "server/registry/artifact_store.h"

namespace mlprof::server {

// `work` is one write of the repository.
template <class Work>
void StoredJournal::Write(const Work& work) {
  if (!status_) return;
  status_ = work();
  if (status_) return;
  LogError("profile record was not written",
           {{"profile", profile_id_}, {"why", status_.error().message()}});
  run_stop_.Ask(StopReason::kStorage, status_.error().message());
}

void StoredJournal::Save(const Profile& profile) {
  Write([&] { return repository_.Update(profile, stored_state_); });
  if (status_) stored_state_ = profile.state;
}

void StoredJournal::FinishPhase(const Profile& profile, const std::string& phase, Timestamp began,
                                const std::string& outcome) {
  Write([&] {
    return repository_.FinishPhase(profile, stored_state_, {phase, began, Now(), outcome});
  });
  if (!status_ || oversight_ == nullptr) return;
  if (const auto why = oversight_->WhyEnd(profile, phase)) run_stop_.Ask(StopReason::kUser, *why);
}

void StoredJournal::Add(const Trial& trial) {
  Write([&] { return repository_.AddTrial(profile_id_, trial); });
}

void StoredJournal::Add(std::span<const Series> all) {
  Write([&] { return repository_.AddSeries(profile_id_, all); });
}

void StoredJournal::Add(std::span<const RowRecord> rows) {
  Write([&] { return repository_.SaveRows(profile_id_, rows); });
}

void StoredJournal::Log(std::string_view text) {
  Write([&] { return repository_.AppendLog(profile_id_, text); });
}

Status StoredJournal::Keep(const NewArtifact& artifact) {
  MLPROF_TRY(Status(status_));
  const auto kept = artifacts_.Keep(profile_id_, artifact);
  if (kept) return {};
  LogWarn("an artifact of a profile was not kept",
          {{"profile", profile_id_}, {"name", artifact.name}, {"why", kept.error().message()}});
  return Fail(kept.error());
}

}  // namespace mlprof::server
