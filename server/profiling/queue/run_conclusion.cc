#include "server/profiling/queue/run_conclusion.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mlprof {
namespace {

// A cause that is not the model's.
struct Cause {
  const char* code;   // of the warning that counts the runs it ended
  const char* what;   // happened to the run
  int most_runs;      // ended by it, the profile fails
  const char* error;  // its code then
  const char* advice;
};

constexpr Cause kServerEnded = {"requeued", "the server stopped while this profile ran", 3,
                                "Interrupted", "create the profile again"};
constexpr Cause kStorageFailed = {
    "storageFailed", "the data directory failed while this profile ran", 3, "StorageFailed",
    "see that the data directory's disk is well and has room, then create the profile again"};
constexpr Cause kEngineLost = {
    "engineLost", "the Docker engine went away while this profile ran", 6, "RuntimeUnavailable",
    "Docker's own log may say why; `mlprof doctor` says what is missing"};
constexpr Cause kNoRoom = {"noRoom", "this machine had no room for its container", 3,
                           "RuntimeFailed",
                           "see that the server's machine has disk space, memory and threads left"};
constexpr Cause kAgentLost = {"agentLost",
                              "the connection to the agent in the container broke and nothing says "
                              "why",
                              2, "AgentLost",
                              "see the server's log and `docker events`; then try again"};

const Cause& CauseOf(StopReason reason) {
  switch (reason) {
    case StopReason::kStorage: return kStorageFailed;
    case StopReason::kEngine: return kEngineLost;
    case StopReason::kRoom: return kNoRoom;
    case StopReason::kAgent: return kAgentLost;
    case StopReason::kUser:
    case StopReason::kServer: break;
  }
  return kServerEnded;
}

bool TellsOfAnotherRun(const Warning& warning) {
  constexpr std::array<const Cause*, 5> kCauses = {&kServerEnded, &kStorageFailed, &kEngineLost,
                                                   &kNoRoom, &kAgentLost};
  return std::any_of(kCauses.begin(), kCauses.end(),
                     [&](const Cause* cause) { return warning.code == cause->code; });
}

// What a run leaves in the profile is taken back; what says that it was run before stays.
Profile Stripped(Profile profile) {
  profile.state = ProfileState::kQueued;
  profile.progress = {"queued", 0, "waiting", std::nullopt};
  profile.started.reset();
  profile.finished.reset();
  profile.recommendation.reset();
  profile.measurements.reset();
  profile.findings = {};
  profile.error.reset();
  profile.host.reset();
  std::erase_if(profile.warnings, [](const Warning& w) { return !TellsOfAnotherRun(w); });
  return profile;
}

// Into the queue as it was accepted, or to its end where the same cause ended too many runs.
void RunAgain(Profile& profile, const Profile& accepted, const Cause& cause, const std::string& why,
              Timestamp now) {
  const std::string what = cause.what + (why.empty() ? "" : ": " + why);
  const auto before = std::count_if(accepted.warnings.begin(), accepted.warnings.end(),
                                    [&](const Warning& w) { return w.code == cause.code; });
  if (before + 1 < cause.most_runs) {
    profile = accepted;
    profile.warnings.push_back({cause.code, what + "; it was run again", ""});
    return;
  }
  profile.recommendation.reset();
  Finish(profile,
         {ProfileState::kFailed,
          ProfileError{cause.error,
                       what + " (" + std::to_string(cause.most_runs) + " runs ended so)",
                       {cause.advice},
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
    profile.measurements.reset();
  }
  const bool has_verdict = over.end.state != ProfileState::kCanceled;
  if (!over.stopped || *over.stopped == StopReason::kUser) {
    Finish(profile, over.end, now);
  } else if (*over.stopped == StopReason::kServer) {
    has_verdict ? Finish(profile, over.end, now) : void(profile = accepted);
  } else if (!over.begun && !CannotRead(over)) {
    profile = accepted;  // nothing has come of it: it goes on waiting
  } else {
    RunAgain(profile, accepted, CauseOf(*over.stopped), over.why, now);
  }
}

void ConcludeInterrupted(Profile& profile, InterruptedPolicy policy, Timestamp now) {
  if (policy == InterruptedPolicy::kRequeue) {
    return RunAgain(profile, Stripped(profile), kServerEnded, "", now);
  }
  Finish(profile,
         {ProfileState::kFailed,
          ProfileError{"Interrupted",
                       "the command that ran it ended before the profile was finished",
                       {"create the profile again"},
                       ""}},
         now);
}

}  // namespace mlprof
