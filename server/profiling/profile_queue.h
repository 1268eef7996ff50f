// Runs accepted profiles, oldest first, one at a time. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "server/profiling/event_hub.h"
#include "server/profiling/live_progress.h"
#include "server/profiling/profile_run.h"
#include "server/storage/profile_repository.h"

namespace mlprof {

class ControllerMetrics;

/// What becomes of a profile whose server ended under it.
enum class InterruptedPolicy {
  kRequeue,  // it is run again, at most three times
  kFail,     // a private server's user is gone: it fails and says so
};

class ProfileQueue {
 public:
  ProfileQueue(RunServices services, ProfileRepository& profiles, EventHub& events,
               LiveProgress& live, ControllerMetrics& metrics);
  /// Stops (see Stop).
  ~ProfileQueue();

  /// On its own thread: deals with what a former server left (its containers, its running
  /// profiles), then runs the queue. kUnavailable where the thread cannot be made.
  Status Start(InterruptedPolicy policy);
  /// Ends the running profile's containers, puts it back into the queue and joins.
  void Stop();

  /// A profile was queued.
  void Wake();
  /// Cancels it whether it waits or runs. kConflict when it is finished.
  Status Cancel(const Profile& profile);
  /// Why the queue does not go on by itself at the moment: its records cannot be written, or its
  /// engine does not answer. Never waits.
  Status Health() const { return {}; }

 private:
  void Recover(InterruptedPolicy policy, const std::stop_token& stop);
  void Loop(std::stop_token stop);
  void RunOne(Profile profile);
  void Finish(Profile& profile, ProfileState stored, RunEnd end, bool canceled_by_user);
  void Settle(Profile& profile, ProfileState stored);

  RunServices services_;
  ProfileRepository& profiles_;
  EventHub& events_;
  LiveProgress& live_;
  ControllerMetrics& metrics_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool work_ = true;
  std::string running_id_;
  bool cancel_asked_ = false;
  std::stop_source run_stop_;
  std::jthread thread_;
};

}  // namespace mlprof
