// What becomes of a profile when its run is over: its end, or another run. Pure.
//
// A profile that was accepted is lost to nothing but its own verdict, its user, or a cause that
// came back too often. What a server, an engine or a disk ends says nothing about the model: the
// profile goes back into the queue with a warning that says so.
#pragma once

#include <optional>
#include <string>

#include "common/domain/profile.h"
#include "common/domain/runtime_words.h"
#include "server/profiling/budget/run_end.h"

namespace mlprof::server {

/// What becomes of a profile whose server ended under it.
enum class InterruptedPolicy {
  kRequeue,  // it is run again, at most three times
  kFail,     // a private server's user is gone: it fails and says so
};

/// What is known when a run is over.
struct RunOver {
  RunEnd end;
  std::optional<StopReason> stopped = {};
  std::string why = {};       // it was stopped
  bool wrote_all = true;      // every record of it was stored
  bool begun = false;         // at least one was
  RuntimeWords runtime = {};  // of what it ran on
};

/// Leaves the profile finished, or queued again as it was `accepted`.
void Conclude(Profile& profile, const Profile& accepted, const RunOver& over, Timestamp now);
/// The same for one that a former server left running (or queued, where its user is gone).
void ConcludeInterrupted(Profile& profile, InterruptedPolicy policy, Timestamp now);
/// Ends it.
void Finish(Profile& profile, const RunEnd& end, Timestamp now);

}  // namespace mlprof::server
