#include "server/profiling/queue/profile_ends.h"

#include "common/json/domain_json.h"
#include "common/log/log.h"
#include "common/result/result.h"
#include "server/metrics/controller_metrics.h"
#include "server/registry/artifact_store.h"

namespace mlprof::server {

// A reader that sees the finished state before the last event must find the events open, also of a
// profile that had none before.
Status ProfileEnds::Record(const UnrecordedEnd& end) {
  return Caught([&]() -> Status {
    events_.Open(end.profile.id);
    if (const Status written = Write(end); !written) {
      if (written.error().code() == ErrorCode::kNotFound) Forget(end.profile.id);
      return written;
    }
    Tell(end.profile);
    return {};
  });
}

Status ProfileEnds::Settle(UnrecordedEnd& end) {
  Status recorded = Record(end);
  if (recorded) return recorded;
  const ErrorCode code = recorded.error().code();
  if (code != ErrorCode::kConflict && code != ErrorCode::kNotFound) return recorded;
  const auto now = profiles_.Get(end.profile.workspace, end.profile.id);
  if (!now && now.error().code() != ErrorCode::kNotFound) return Fail(now.error());
  if (!now || IsFinished(now->state)) {
    Forget(end.profile.id);
    return {};
  }
  end.stored = now->state;
  return Record(end);
}

// A queued profile has no answer and no records. At no moment, whatever fails between two of these
// writes, is there an answer without its records.
Status ProfileEnds::Write(const UnrecordedEnd& end) {
  if (end.profile.state == ProfileState::kQueued) {
    Profile stripped = end.profile;
    stripped.state = end.stored;
    MLPROF_TRY(profiles_.Update(stripped, end.stored));
    MLPROF_LET(artifacts, profiles_.ClearMeasured(end.profile.id));
    artifacts_.ForgetContentOf(artifacts);
  }
  return profiles_.Update(end.profile, end.stored);
}

void ProfileEnds::Tell(const Profile& profile) {
  const std::string state(Name(profile.state));
  LogInfo(IsFinished(profile.state) ? "profile ends" : "profile is queued again",
          {{"profile", profile.request.name}, {"state", state}});
  if (IsFinished(profile.state)) {
    metrics_.ProfileFinished(profile.state);
    events_.PublishStored(profile.id, "done", EncodeProfile(profile));
    Forget(profile.id);
    return;
  }
  live_.Forget(profile.id);
  events_.PublishStored(profile.id, "phase",
                        {{"phase", "queued"}, {"state", state}, {"message", "queued again"}});
}

void ProfileEnds::Forget(const std::string& profile_id) {
  live_.Forget(profile_id);
  events_.Forget(profile_id);
}

}  // namespace mlprof::server
