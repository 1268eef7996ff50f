// The queue's thread: turn by turn it settles what is left over, looks at what a run needs, and
// runs the next profile.
#include "common/log/log.h"
#include "common/result/result.h"
#include "server/metrics/controller_metrics.h"
#include "server/profiling/queue/profile_queue.h"

namespace mlprof::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAtOnce{0};

}  // namespace

void ProfileQueue::Loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      const Result<Pause> pause = Caught([&] { return Turn(stop); });
      if (!pause) StartAnew();
      Rest(pause ? *pause : StorageFailed(pause.error()), stop);
    } catch (...) {
      // Caught() itself failed: there is no memory for the message, or what was thrown is no
      // std::exception.
      LogThrown("a turn of the queue failed", "profile queue");
      StartAnew();
      Rest(waits_.storage_most, stop);
    }
  }
}

// After an exception: forgets the run, so that Recover() settles its profile as after a crash.
void ProfileQueue::StartAnew() {
  const std::lock_guard lock(mutex_);
  running_id_.clear();
  run_.reset();
  recovered_ = false;
}

// An error is the storage's.
Result<ProfileQueue::Pause> ProfileQueue::Turn(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    work_ = false;
  }
  idle_ = false;
  if (!recovered_) MLPROF_TRY(Recover());
  MLPROF_LET(queued, profiles_.Queued());
  storage_.Over();
  metrics_.SetQueueLength(std::ssize(queued));
  idle_ = queued.empty();
  if (idle_) notice_.Clear();
  if (idle_ && !orphans_) {
    engine_.Over();  // nobody waits for it
    room_.Over();
    return Pause();
  }
  if (const Status well = CheckEngine(stop); !well) {
    if (stop.stop_requested()) return Pause();
    if (orphans_ && well.error().code() == ErrorCode::kResourceExhausted) {
      RemoveOrphans(stop);  // they may be what takes the room
      if (!orphans_) return kAtOnce;
    }
    MLPROF_TRY(LetWait(queued, well.error()));
    return waits_.engine_look;
  }
  notice_.Clear();
  if (orphans_) RemoveOrphans(stop);
  if (!idle_ && !stop.stop_requested()) {
    metrics_.SetQueueLength(std::ssize(queued) - 1);
    return RunOne(queued.front(), stop);
  }
  return orphans_ ? Pause(waits_.orphans_again) : Pause();
}

// What a former server left; of a private one, whose user is gone, what waits as well. Profiles
// that were made since this one started are not touched.
Status ProfileQueue::Recover() {
  MLPROF_LET(left, profiles_.Interrupted());
  if (policy_ == InterruptedPolicy::kFail) {
    MLPROF_LET(queued, profiles_.Queued());
    for (const Profile& profile : queued) {
      if (profile.created < started_) left.push_back(profile);
    }
  }
  for (const Profile& profile : left) {
    UnrecordedEnd end{profile, profile.state};
    ConcludeInterrupted(end.profile, policy_, Now());
    MLPROF_TRY(ends_.Settle(end));
  }
  recovered_ = true;
  return {};
}

Status ProfileQueue::CheckEngine(const std::stop_token& stop) {
  const Status response = services_.runtime.Check(Deadline::After(waits_.engine_response), stop);
  if (!response && response.error().code() == ErrorCode::kResourceExhausted) {
    trust_.Responded(Clock::now());
    engine_.Over();
    room_.Failed(response.error().message());
    return response;
  }
  room_.Over();
  if (!response) {
    if (stop.stop_requested()) return response;
    trust_.Failed(Clock::now());
    engine_.Failed(response.error().message());
    return response;
  }
  trust_.Responded(Clock::now());
  if (!trust_.Trusted(Clock::now())) {
    const Error just_back =
        Unavailable("it went away under a profile, or lost its container, a moment ago");
    engine_.Failed(just_back.message());
    return Fail(just_back);
  }
  engine_.Over();
  return {};
}

Status ProfileQueue::LetWait(const std::vector<Profile>& queued, const Error& why) {
  const RuntimeWords words = services_.runtime.words();
  const bool no_room = why.code() == ErrorCode::kResourceExhausted;
  const auto waited = no_room ? room_.Lasts(Clock::now()) : trust_.DistrustedFor(Clock::now());
  if (policy_ == InterruptedPolicy::kFail && waited >= waits_.private_patience) {
    const ProfileError error =
        no_room ? ProfileError{"NoRoom",
                               why.message(),
                               {"make room, then create the profile again"},
                               ""}
                : ProfileError{"RuntimeUnavailable",
                               why.message(),
                               {words.bring_back + ", then create the profile again", words.look},
                               ""};
    MLPROF_TRY(GiveUp(queued, error));
  }
  notice_.Show(queued, "waiting for " + (no_room ? "room" : words.name) + ": " + why.message());
  return {};
}

// Each has its own time to wait.
Status ProfileQueue::GiveUp(const std::vector<Profile>& queued, const ProfileError& error) {
  for (const Profile& profile : queued) {
    if (Now() - profile.created < waits_.private_patience) continue;
    UnrecordedEnd end{profile, profile.state};
    Finish(end.profile, {ProfileState::kFailed, error}, Now());
    MLPROF_TRY(ends_.Settle(end));
  }
  return {};
}

void ProfileQueue::RemoveOrphans(const std::stop_token& stop) {
  const auto removed = services_.runtime.RemoveOrphans(Deadline::After(waits_.orphans), stop);
  orphans_ = !removed;
  if (!removed) {
    if (!stop.stop_requested()) removal_.Failed(removed.error().message());
    return;
  }
  removal_.Over();
  if (*removed > 0) LogInfo("orphan containers removed", {{"count", *removed}});
}

ProfileQueue::Pause ProfileQueue::StorageFailed(const Error& error) {
  storage_.Failed(error.message());
  return storage_pause_.Next();
}

void ProfileQueue::Rest(Pause pause, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!pause) {
    wake_.wait(lock, stop, [this] { return work_; });
  } else if (*pause > kAtOnce) {
    wake_.wait_for(lock, stop, *pause, [this] { return hurry_ || (idle_ && work_); });
  }
  hurry_ = false;
}

}  // namespace mlprof::server
