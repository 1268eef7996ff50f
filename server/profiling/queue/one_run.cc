// One run on the queue's thread, until what became of it is stored.
#include "common/json/domain_json.h"
#include "common/log/log.h"
#include "common/result/result.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/queue/event_announcer.h"
#include "server/profiling/queue/profile_queue.h"
#include "server/profiling/queue/stored_journal.h"

namespace mlprof::server {
namespace {

using Clock = std::chrono::steady_clock;

RunEnd FailedByException(const Error& error) {
  return {ProfileState::kFailed,
          ProfileError{"InternalError",
                       "the server failed while it ran this profile: " + error.message(),
                       {"see the server's log, then create the profile again"},
                       ""}};
}

}  // namespace

ProfileQueue::Pause ProfileQueue::RunOne(const Profile& accepted, const std::stop_token& stop) {
  const auto run_stop = Begin(accepted.id, stop);
  if (!IsStillQueued(accepted)) {
    Release({accepted, accepted.state}, *run_stop);
    return std::chrono::milliseconds(0);
  }
  metrics_.SetRunningProfiles(1);
  LogInfo("profile begins", {{"profile", accepted.request.name}, {"id", accepted.id}});
  Profile profile = accepted;
  profile.started = Now();
  RunOversight* oversight = services_.oversight;
  if (oversight != nullptr) oversight->Beginning(profile);
  StoredJournal journal(profile.id, profile.state, profiles_, services_.artifacts, *run_stop,
                        oversight);
  const RunOver over = Run(profile, journal, *run_stop, stop);
  Conclude(profile, accepted, over, Now());
  Settle({profile, journal.stored_state()}, *run_stop, stop);
  orphans_ = true;
  metrics_.SetRunningProfiles(0);
  if (over.stopped == StopReason::kStorage || over.stopped == StopReason::kRoom) {
    return storage_pause_.Next();
  }
  storage_pause_.Reset();
  return std::chrono::milliseconds(0);
}

std::shared_ptr<RunStop> ProfileQueue::Begin(const std::string& profile_id,
                                             const std::stop_token& stop) {
  const auto run_stop = std::make_shared<RunStop>();
  {
    const std::lock_guard lock(mutex_);
    running_id_ = profile_id;
    run_ = run_stop;
  }
  // A stop that came before run_ was set has found no run to ask.
  if (stop.stop_requested()) run_stop->Ask(StopReason::kServer);
  return run_stop;
}

// Whether the profile still waits: who cancelled or deleted it before Begin() found no run to stop.
// If it cannot be read the run may begin, and ends at its first record, which cannot be written.
bool ProfileQueue::IsStillQueued(const Profile& accepted) {
  const auto now = profiles_.Get(accepted.workspace, accepted.id);
  return now ? now->state == ProfileState::kQueued : now.error().code() != ErrorCode::kNotFound;
}

RunOver ProfileQueue::Run(Profile& profile, StoredJournal& journal, RunStop& run_stop,
                          const std::stop_token& stop) {
  EventAnnouncer announcer(profile, events_, live_, metrics_, services_.clock);
  RunOver over;
  const Result<RunEnd> end = Caught([&]() -> Result<RunEnd> {
    return RunProfile(services_, profile, journal, announcer, run_stop);
  });
  over.end = end ? *end : FailedByException(end.error());
  const bool failed =
      over.end.state == ProfileState::kFailed || over.end.state == ProfileState::kTimedOut;
  if (failed && !run_stop.reason() && end) {
    // If the engine is not well now, the failure may be its doing, and says nothing of the model.
    const Status well = CheckEngine(stop);
    const bool lost =
        !well && !stop.stop_requested() && well.error().code() != ErrorCode::kResourceExhausted;
    if (lost) run_stop.Ask(StopReason::kEngine, well.error().message());
  }
  over.stopped = run_stop.reason();
  over.runtime = services_.runtime.words();
  over.why = run_stop.why();
  over.wrote_all = journal.status().has_value();
  over.begun = journal.stored_state() != ProfileState::kQueued;
  if (over.stopped == StopReason::kEngine) {
    trust_.LostRun(Clock::now());
  } else if (!over.stopped) {
    trust_.KeptRun();
  }
  return over;
}

// Tries to store the end until that succeeds. If the queue stops before, the next start settles it.
void ProfileQueue::Settle(UnrecordedEnd end, RunStop& run_stop, const std::stop_token& stop) {
  Backoff pause(waits_.storage_first, waits_.storage_most);
  do {
    for (;;) {
      // The user has cancelled it meanwhile: then it is not run again.
      if (end.profile.state == ProfileState::kQueued && run_stop.reason() == StopReason::kUser) {
        Finish(end.profile, {ProfileState::kCanceled, std::nullopt}, Now());
      }
      const Status settled = ends_.Settle(end);
      if (settled) break;
      storage_.Failed(settled.error().message());
      if (stop.stop_requested()) return;
      Progress progress = end.profile.progress;
      progress.message = "its end could not be recorded yet: " + settled.error().message();
      live_.Set(end.profile.id, progress);
      events_.PublishToWatchers(end.profile.id, "progress", EncodeProgress(progress));
      Rest(pause.Next(), stop);
    }
    storage_.Over();
    end.stored = end.profile.state;
  } while (!Release(end, run_stop));
}

// False where it is queued again and its user has cancelled it a moment ago.
bool ProfileQueue::Release(const UnrecordedEnd& end, const RunStop& run_stop) {
  const std::lock_guard lock(mutex_);
  if (end.profile.state == ProfileState::kQueued && run_stop.reason() == StopReason::kUser) {
    return false;
  }
  running_id_.clear();
  run_.reset();
  return true;
}

}  // namespace mlprof::server
