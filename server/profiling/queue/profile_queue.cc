#include "server/profiling/queue/profile_queue.h"

#include "common/os/start_thread.h"

namespace mlprof::server {
namespace {

// A cancel is tried again when the profile's state has changed since it was read, so many times.
constexpr int kCancelTries = 5;

}  // namespace

ProfileQueue::ProfileQueue(RunServices services, ProfileRepository& profiles, EventHub& events,
                           LiveProgress& live, ControllerMetrics& metrics, const QueueWaits& waits)
    : services_(std::move(services)),
      profiles_(profiles),
      events_(events),
      live_(live),
      metrics_(metrics),
      waits_(waits),
      ends_(profiles, services_.artifacts, events, live, metrics),
      trust_(waits.engine_first_proof, waits.engine_longest_proof),
      notice_(events, live),
      storage_pause_(waits.storage_first, waits.storage_most) {}

ProfileQueue::~ProfileQueue() { Stop(); }

Status ProfileQueue::Start(InterruptedPolicy policy) {
  policy_ = policy;
  started_ = Now();
  if (const Status recovered = Recover(); !recovered) {
    storage_.Failed(recovered.error().message());  // the thread tries again
  }
  auto thread = StartThread("profile queue", [this](const std::stop_token& stop) { Loop(stop); });
  if (!thread) return Fail(thread.error());
  thread_ = std::move(*thread);
  return {};
}

void ProfileQueue::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  std::shared_ptr<RunStop> run;
  {
    const std::lock_guard lock(mutex_);
    run = run_;
  }
  if (run) run->Ask(StopReason::kServer);
  thread_.join();
}

void ProfileQueue::Wake() {
  const std::lock_guard lock(mutex_);
  work_ = true;
  wake_.notify_all();
}

std::shared_ptr<RunStop> ProfileQueue::RunOf(const std::string& profile_id) {
  const std::lock_guard lock(mutex_);
  if (running_id_ != profile_id) return nullptr;
  return run_;
}

Status ProfileQueue::Cancel(const Profile& profile) {
  UnrecordedEnd end{profile, profile.state};
  for (int tries = 0; tries < kCancelTries; ++tries) {
    if (const auto run = RunOf(profile.id)) {
      run->Ask(StopReason::kUser);
      const std::lock_guard lock(mutex_);
      if (run_ == run) {
        hurry_ = true;
        wake_.notify_all();
        return {};
      }  // else the run ended before it was asked; its profile may wait again, and is cancelled
         // below
    }
    Finish(end.profile, {ProfileState::kCanceled, std::nullopt}, Now());
    const Status recorded = ends_.Record(end);
    if (recorded || recorded.error().code() != ErrorCode::kConflict) return recorded;
    MLPROF_LET(now, profiles_.Get(profile.workspace, profile.id));
    if (now.state == ProfileState::kCanceled) return {};
    if (IsFinished(now.state)) return Fail(Conflict("the profile is finished already"));
    end = {now, now.state};
  }
  return Fail(Unavailable("the profile changes its state just now; try again"));
}

bool ProfileQueue::Runs() {
  const std::lock_guard lock(mutex_);
  return !running_id_.empty();
}

Status ProfileQueue::Health() const {
  if (const auto why = storage_.cause()) {
    return Fail(Unavailable("profiles wait: " + *why));
  }
  if (const auto why = engine_.cause()) {
    return Fail(Unavailable("profiles wait for " + services_.runtime.words().name + ": " + *why));
  }
  if (const auto why = room_.cause()) return Fail(Unavailable("profiles wait for room: " + *why));
  return {};
}

}  // namespace mlprof::server
