#include "server/profiling/profile_queue.h"

#include <algorithm>

#include "common/json/domain_json.h"
#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "server/metrics/controller_metrics.h"

namespace mlprof {
namespace {

constexpr int kMostRuns = 3;
constexpr const char* kRequeued = "requeued";
constexpr std::chrono::seconds kOrphanDeadline{30};

// What a run leaves in the profile is taken back; what says that it was run before stays.
void ResetForAnotherRun(Profile& profile) {
  profile.state = ProfileState::kQueued;
  profile.progress = {"queued", 0, "waiting", std::nullopt};
  profile.started.reset();
  profile.recommendation.reset();
  profile.measurements.reset();
  profile.error.reset();
  profile.host.reset();
  std::erase_if(profile.warnings, [](const Warning& w) { return w.code != kRequeued; });
}

std::int64_t TimesRequeued(const Profile& profile) {
  return std::count_if(profile.warnings.begin(), profile.warnings.end(),
                       [](const Warning& w) { return w.code == kRequeued; });
}

RunEnd InterruptedEnd(std::string message) {
  return {ProfileState::kFailed,
          ProfileError{"Interrupted", std::move(message), {"create the profile again"}, ""}};
}

}  // namespace

ProfileQueue::ProfileQueue(RunServices services, ProfileRepository& profiles, EventHub& events,
                           LiveProgress& live, ControllerMetrics& metrics)
    : services_(services), profiles_(profiles), events_(events), live_(live), metrics_(metrics) {}

ProfileQueue::~ProfileQueue() { Stop(); }

Status ProfileQueue::Start(InterruptedPolicy policy) {
  auto thread = StartThread("profile queue", [this, policy](const std::stop_token& stop) {
    Recover(policy, stop);
    Loop(stop);
  });
  if (!thread) return Fail(thread.error());
  thread_ = *std::move(thread);
  return {};
}

void ProfileQueue::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    run_stop_.request_stop();
  }
  thread_.join();
}

void ProfileQueue::Wake() {
  const std::lock_guard lock(mutex_);
  work_ = true;
  wake_.notify_all();
}

Status ProfileQueue::Cancel(const Profile& profile) {
  {
    const std::lock_guard lock(mutex_);
    if (running_id_ == profile.id) {
      cancel_asked_ = true;
      run_stop_.request_stop();
      return {};
    }
  }
  Profile canceled = profile;
  Finish(canceled, ProfileState::kQueued, {ProfileState::kCanceled, std::nullopt}, true);
  const auto now = profiles_.Get(profile.workspace, profile.id);
  if (!now) return Fail(now.error());
  if (now->state == ProfileState::kCanceled) return {};
  if (IsFinished(now->state)) return Fail(Conflict("the profile is finished already"));
  return Cancel(*now);  // it began to run just now
}

void ProfileQueue::Recover(InterruptedPolicy policy, const std::stop_token& stop) {
  auto removed = services_.runtime.RemoveOrphans(Deadline::After(kOrphanDeadline), stop);
  if (!removed) {
    LogWarn("orphan containers were not looked for", {{"why", removed.error().message()}});
  } else if (*removed > 0) {
    LogInfo("orphan containers removed", {{"count", *removed}});
  }
  std::vector<Profile> left = profiles_.Interrupted().value_or(std::vector<Profile>());
  if (policy == InterruptedPolicy::kFail) {
    for (Profile& queued : profiles_.Queued().value_or(std::vector<Profile>()))
      left.push_back(queued);
  }
  for (Profile& profile : left) {
    const ProfileState stored = profile.state;
    if (policy == InterruptedPolicy::kFail) {
      Finish(profile, stored,
             InterruptedEnd("the command that ran it ended before the profile was finished"),
             false);
    } else {
      profile.warnings.push_back(
          {kRequeued, "the server stopped while this profile ran; it was run again", ""});
      Settle(profile, stored);
    }
  }
}

// Back into the queue, or, when the server stopped under it too often, to its end.
void ProfileQueue::Settle(Profile& profile, ProfileState stored) {
  if (TimesRequeued(profile) >= kMostRuns) {
    Finish(profile, stored,
           InterruptedEnd("the server stopped " + std::to_string(kMostRuns) +
                          " times while this profile ran"),
           false);
    return;
  }
  ResetForAnotherRun(profile);
  Status status = profiles_.ClearMeasured(profile.id);
  if (status) status = profiles_.Update(profile, stored);
  if (!status) {
    LogError("profile was not put back into the queue",
             {{"profile", profile.request.name}, {"why", status.error().message()}});
    return;
  }
  events_.PublishStored(profile.id, "phase",
                        {{"phase", "queued"}, {"state", "Queued"}, {"message", "queued again"}});
}

void ProfileQueue::Loop(std::stop_token stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, stop, [this] { return work_; });
      work_ = false;
    }
    auto queued = profiles_.Queued();
    while (queued && !queued->empty() && !stop.stop_requested()) {
      metrics_.SetQueueLength(std::ssize(*queued) - 1);
      metrics_.SetRunningProfiles(1);
      RunOne(std::move(queued->front()));
      metrics_.SetRunningProfiles(0);
      queued = profiles_.Queued();
    }
    if (queued) metrics_.SetQueueLength(std::ssize(*queued));
    if (!queued) LogError("the queue was not read", {{"why", queued.error().message()}});
  }
}

void ProfileQueue::RunOne(Profile profile) {
  std::stop_token stop;
  {
    const std::lock_guard lock(mutex_);
    running_id_ = profile.id;
    cancel_asked_ = false;
    if (!thread_.get_stop_token().stop_requested()) run_stop_ = std::stop_source();
    stop = run_stop_.get_token();
  }
  profile.started = Now();
  LogInfo("profile begins", {{"profile", profile.request.name}, {"id", profile.id}});
  RunRecorder recorder(profile, profiles_, events_, live_, metrics_, services_.clock);
  const RunEnd end = RunProfile(services_, recorder, stop);
  bool canceled_by_user = false;
  {
    const std::lock_guard lock(mutex_);
    canceled_by_user = cancel_asked_;
    running_id_.clear();
  }
  if (end.state == ProfileState::kCanceled && !canceled_by_user) {
    Settle(profile, recorder.stored_state());
  } else {
    Finish(profile, recorder.stored_state(), end, canceled_by_user);
  }
  live_.Forget(profile.id);
  events_.Forget(profile.id);
  (void)services_.runtime.RemoveOrphans(Deadline::After(kOrphanDeadline), thread_.get_stop_token());
}

void ProfileQueue::Finish(Profile& profile, ProfileState stored, RunEnd end,
                          bool canceled_by_user) {
  profile.state = end.state;
  profile.error = std::move(end.error);
  profile.finished = Now();
  profile.progress = {profile.progress.phase, 1.0,
                      canceled_by_user ? "canceled" : std::string(Name(end.state)), std::nullopt};
  if (auto status = profiles_.Update(profile, stored); !status) {
    LogWarn("profile end was not recorded",
            {{"profile", profile.request.name}, {"why", status.error().message()}});
    return;
  }
  metrics_.ProfileFinished(end.state);
  LogInfo("profile ends",
          {{"profile", profile.request.name}, {"state", std::string(Name(end.state))}});
  events_.PublishStored(profile.id, "done", EncodeProfile(profile));
}

}  // namespace mlprof
