// Runs accepted profiles, oldest first, one at a time. Thread-safe.
//
// What was accepted is kept: while the engine does not answer, or the data directory cannot be
// written, profiles wait; the end of a run is kept in memory until it is stored, and only then does
// the next one start. Nothing waits with the lock held.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "server/profiling/queue/engine_trust.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/profiling/queue/outage.h"
#include "server/profiling/queue/profile_ends.h"
#include "server/profiling/queue/run_conclusion.h"
#include "server/profiling/run/profile_run.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class ControllerMetrics;
class StoredJournal;

/// How long it waits for what it depends on. Tests wait less.
struct QueueWaits {
  /// Between two tries to write or read, doubled up to the most.
  std::chrono::milliseconds storage_first{500};
  std::chrono::milliseconds storage_most{15'000};
  /// Between two looks at an engine that a profile waits for, and for the response to one.
  std::chrono::milliseconds engine_look{1'000};
  std::chrono::milliseconds engine_response{3'000};
  /// How long an engine that went away under a run must answer before the next one; see
  /// EngineTrust.
  std::chrono::milliseconds engine_first_proof{2'000};
  std::chrono::milliseconds engine_longest_proof{60'000};
  /// For how long a profile of a private server, whose user sits at the terminal, waits for the
  /// engine before it fails.
  std::chrono::milliseconds private_patience{60'000};
  /// For the removal of orphans, and between two tries where nothing else is to do.
  std::chrono::milliseconds orphans{15'000};
  std::chrono::milliseconds orphans_again{10'000};
};

class ProfileQueue {
 public:
  ProfileQueue(RunServices services, ProfileRepository& profiles, EventHub& events,
               LiveProgress& live, ControllerMetrics& metrics, const QueueWaits& waits = {});
  /// Stops (see Stop).
  ~ProfileQueue();

  /// Settles the profiles a former server left running, then runs the queue on its own thread,
  /// which also removes that server's containers, and goes on with what could not be settled at
  /// once. kResourceExhausted where the thread cannot be made.
  Status Start(InterruptedPolicy policy);
  /// Ends the running profile's containers, puts it back into the queue and joins. Takes seconds
  /// with an engine that hangs; what cannot be written is left to the next start.
  void Stop();

  /// A profile was queued.
  void Wake();
  /// Cancels it whether it waits, runs, or is said to run while nobody runs it. One that runs ends
  /// soon after. kConflict when it is finished; kUnavailable where that cannot be written.
  Status Cancel(const Profile& profile);
  /// Why the queue does not go on by itself at the moment: its records cannot be written, or its
  /// engine does not answer. Never waits.
  Status Health() const;
  /// Whether a profile runs now.
  bool Runs();

 private:
  /// Until the next turn; none: until there is work.
  using Pause = std::optional<std::chrono::milliseconds>;

  // The queue's thread (turns.cc).
  void Loop(const std::stop_token& stop);
  Result<Pause> Turn(const std::stop_token& stop);
  void StartAnew();
  Status Recover();
  Status CheckEngine(const std::stop_token& stop);
  Status LetWait(const std::vector<Profile>& queued, const Error& why);
  Status GiveUp(const std::vector<Profile>& queued, const ProfileError& error);
  void RemoveOrphans(const std::stop_token& stop);
  Pause StorageFailed(const Error& error);
  void Rest(Pause pause, const std::stop_token& stop);

  // One run, on that thread (one_run.cc).
  Pause RunOne(const Profile& accepted, const std::stop_token& stop);
  std::shared_ptr<RunStop> Begin(const std::string& profile_id, const std::stop_token& stop);
  bool IsStillQueued(const Profile& accepted);
  RunOver Run(Profile& profile, StoredJournal& journal, RunStop& run_stop,
              const std::stop_token& stop);
  void Settle(UnrecordedEnd end, RunStop& run_stop, const std::stop_token& stop);
  bool Release(const UnrecordedEnd& end, const RunStop& run_stop);

  /// Of the profile, where it is the running one.
  std::shared_ptr<RunStop> RunOf(const std::string& profile_id);

  RunServices services_;
  ProfileRepository& profiles_;
  EventHub& events_;
  LiveProgress& live_;
  ControllerMetrics& metrics_;
  const QueueWaits waits_;
  ProfileEnds ends_;
  Outage storage_{"profiles wait for the data directory",
                  "profiles wait no more for the data directory"};
  Outage engine_{"profiles wait for the runtime", "profiles wait no more for the runtime"};
  Outage room_{"profiles wait for room on this machine", "profiles wait no more for room"};
  Outage removal_{"orphan containers cannot be removed", "orphan containers can be removed again"};

  // Set before the thread starts, then its own.
  InterruptedPolicy policy_ = InterruptedPolicy::kRequeue;
  Timestamp started_{};
  bool recovered_ = false;
  bool orphans_ = true;  // there may be some
  bool idle_ = false;    // no profile waits
  EngineTrust trust_;
  WaitingNotice notice_;
  Backoff storage_pause_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool work_ = true;
  bool hurry_ = false;  // what waits for storage is tried at once
  std::string running_id_;
  std::shared_ptr<RunStop> run_;  // of running_id_
  std::jthread thread_;
};

}  // namespace mlprof::server
