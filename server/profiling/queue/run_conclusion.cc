#include "server/profiling/queue/run_conclusion.h"

#include <algorithm>

#include "common/domain/variant_comparison.h"

namespace mlprof::server {
namespace {

// What a cause that is not the model's means for a profile.
struct Rule {
  std::string what;   // happened to the run
  int most_runs;      // ended by it, the profile fails
  const char* error;  // its code then
  std::string advice;
};

const Rule kServerRule = {"the server stopped while this profile ran", 3, "Interrupted",
                          "create the profile again"};
const Rule kStorageRule = {
    "the data directory failed while this profile ran", 3, "StorageFailed",
    "see that the data directory's disk is well and has room, then create the profile again"};
const Rule kRoomRule = {"this machine had no room for its container", 3, "RuntimeFailed",
                        "see that the server's machine has disk space, memory and threads left"};
const Rule kAgentRule = {"the connection to the agent in the container broke and nothing says why",
                         2, "AgentLost",
                         "see the server's log, with Docker `docker events` too; then try again"};

// Nothing is run again on a machine whose device was just lost.
const Rule kDeviceRule = {
    "a device was lost while this profile ran", 1, "DeviceLost",
    "see in `dmesg` what became of it (Xid errors of a GPU), reset it or restart the machine, "
    "then create the profile again"};

// Nor where what the profile is to say of its device cannot be read any more.
const Rule kMetricsRule = {
    "the connection to what tells of the model's device was lost", 1, "DeviceMetricsLost",
    "see in the model's log what became of libtpu or of the process that had the chip, then "
    "create the profile again"};

Rule EngineRule(const RuntimeWords& runtime) {
  return {runtime.name + " " + runtime.lost +
              ", or somebody ended its container, while this profile ran",
          6, "RuntimeUnavailable", runtime.look};
}

Rule RuleOf(RerunCause cause, const RuntimeWords& runtime) {
  switch (cause) {
    case RerunCause::kServerStopped: break;
    case RerunCause::kStorageFailed: return kStorageRule;
    case RerunCause::kEngineLost: return EngineRule(runtime);
    case RerunCause::kNoRoom: return kRoomRule;
    case RerunCause::kAgentLost: return kAgentRule;
    case RerunCause::kDeviceLost: return kDeviceRule;
    case RerunCause::kDeviceMetricsLost: return kMetricsRule;
  }
  return kServerRule;
}

RerunCause CauseOf(StopReason reason) {
  switch (reason) {
    case StopReason::kStorage: return RerunCause::kStorageFailed;
    case StopReason::kEngine: return RerunCause::kEngineLost;
    case StopReason::kRoom: return RerunCause::kNoRoom;
    case StopReason::kAgent: return RerunCause::kAgentLost;
    case StopReason::kDevice: return RerunCause::kDeviceLost;
    case StopReason::kDeviceMetrics: return RerunCause::kDeviceMetricsLost;
    case StopReason::kUser:
    case StopReason::kServer: break;
  }
  return RerunCause::kServerStopped;
}

Warning WarningOf(const Rerun& rerun) { return {std::string(Name(rerun.cause)), rerun.words, ""}; }

// What a run leaves in the profile is taken back; that it was run before stays.
Profile Stripped(Profile profile) {
  profile.state = ProfileState::kQueued;
  profile.progress = {"queued", 0, "waiting", std::nullopt};
  profile.started.reset();
  profile.finished.reset();
  profile.recommendation.reset();
  profile.no_answer.reset();
  profile.measurements.reset();
  profile.captures.clear();
  profile.findings = {};
  profile.error.reset();
  profile.host.reset();
  profile.warnings.clear();
  for (const Rerun& rerun : profile.reruns) profile.warnings.push_back(WarningOf(rerun));
  return profile;
}

// Into the queue as it was accepted, or to its end where the same cause ended too many runs.
void RunAgain(Profile& profile, const Profile& accepted, const Rule& rule, RerunCause cause,
              const std::string& why, Timestamp now) {
  const std::string what = rule.what + (why.empty() ? "" : ": " + why);
  const auto before = std::ranges::count(accepted.reruns, cause, &Rerun::cause);
  if (before + 1 < rule.most_runs) {
    profile = accepted;
    profile.reruns.push_back({cause, what + "; it was run again"});
    profile.warnings.push_back(WarningOf(profile.reruns.back()));
    return;
  }
  profile.recommendation.reset();
  profile.no_answer.reset();
  Finish(profile,
         {ProfileState::kFailed,
          ProfileError{rule.error,
                       rule.most_runs == 1
                           ? what
                           : what + " (" + std::to_string(rule.most_runs) + " runs ended so)",
                       {rule.advice},
                       ""}},
         now);
}

// Whether the run was stopped because what it needs could not be read, although all was written.
bool CannotRead(const RunOver& over) {
  return over.stopped == StopReason::kStorage && over.wrote_all;
}

}  // namespace

void Finish(Profile& profile, const RunEnd& end, Timestamp now) {
  profile.state = end.state;
  profile.error = end.error;
  profile.finished = now;
  profile.progress = {
      profile.progress.phase, 1.0,
      end.state == ProfileState::kCanceled ? "canceled" : std::string(Name(end.state)),
      std::nullopt};
}

void Conclude(Profile& profile, const Profile& accepted, const RunOver& over, Timestamp now) {
  if (!over.wrote_all) {
    // An answer whose proof is not stored is none.
    profile.recommendation.reset();
    profile.no_answer.reset();
    profile.measurements.reset();
  }
  const bool has_verdict = over.end.state != ProfileState::kCanceled;
  if (!over.stopped || *over.stopped == StopReason::kUser) {
    Finish(profile, over.end, now);
    if (over.stopped && !over.why.empty()) {
      profile.warnings.push_back({kEndedEarlyWarning, over.why, ""});
    }
  } else if (*over.stopped == StopReason::kServer) {
    has_verdict ? Finish(profile, over.end, now) : void(profile = accepted);
  } else if (!over.begun && !CannotRead(over)) {
    profile = accepted;  // nothing has come of it: it goes on waiting
  } else {
    const RerunCause cause = CauseOf(*over.stopped);
    RunAgain(profile, accepted, RuleOf(cause, over.runtime), cause, over.why, now);
  }
}

void ConcludeInterrupted(Profile& profile, InterruptedPolicy policy, Timestamp now) {
  if (policy == InterruptedPolicy::kRequeue) {
    return RunAgain(profile, Stripped(profile), kServerRule, RerunCause::kServerStopped, "", now);
  }
  Finish(profile,
         {ProfileState::kFailed,
          ProfileError{"Interrupted",
                       "the command that ran it ended before the profile was finished",
                       {"create the profile again"},
                       ""}},
         now);
}

}  // namespace mlprof::server
