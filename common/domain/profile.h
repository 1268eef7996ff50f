// A profile: what was asked, how far it is, what came out, and which of its runs were run again.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/allocation_failure.h"
#include "common/domain/findings.h"
#include "common/domain/inference_config.h"
#include "common/domain/measurements.h"
#include "common/domain/no_answer.h"
#include "common/domain/objective.h"
#include "common/domain/profile_capture.h"
#include "common/domain/recommendation.h"
#include "common/domain/warning.h"
#include "common/time/timestamp.h"

namespace mlprof {

/// What ended a run of a profile, other than the model, so that it was run again.
enum class RerunCause {
  kServerStopped,
  kStorageFailed,      // the data directory did
  kEngineLost,         // it went away
  kNoRoom,             // on this machine, for the container
  kAgentLost,          // without a word, by an engine that is well
  kDeviceLost,         // it fell off the bus: the profile fails with that, and is not run again
  kDeviceMetricsLost,  // what told of it is silent: likewise
};
/// "requeued", "storageFailed", "engineLost", "noRoom", "agentLost", "deviceLost",
/// "deviceMetricsLost": stable, as it is stored and as the warning that tells of it is coded.
std::string_view Name(RerunCause cause);
std::optional<RerunCause> ParseRerunCause(std::string_view name);

/// A run of a profile that something else than the model ended, and after which it was run again.
struct Rerun {
  RerunCause cause = RerunCause::kServerStopped;
  std::string words;  // what its warning says
  bool operator==(const Rerun&) const = default;
};

enum class ProfileState {
  kQueued,
  kPreparing,
  kStarting,
  kProfiling,
  kVerifying,
  kSucceeded,
  kFailed,
  kCanceled,
  kTimedOut
};
std::string_view Name(ProfileState state);  // "Queued", …
std::optional<ProfileState> ParseProfileState(std::string_view name);
constexpr bool IsFinished(ProfileState state) { return state >= ProfileState::kSucceeded; }

enum class AcceleratorType { kNone, kGpu, kTpu };
struct Accelerator {
  AcceleratorType type = AcceleratorType::kNone;
  int count = 0;
  bool operator==(const Accelerator&) const = default;
};

/// The ceiling ("largest test instance"); an absent side is what the host can give.
struct Ceiling {
  std::optional<Cores> cpu;
  std::optional<Bytes> memory;
  bool operator==(const Ceiling&) const = default;
};

/// The samples of one container fit into memory.
inline constexpr std::chrono::seconds kLongestSoak{3600};

/// What the caller asked, decoded and checked field by field, ids not yet resolved.
struct ProfileRequest {
  std::string name;  // "": the service makes one
  std::string description;
  std::vector<std::string> model_ids;
  std::string input_dataset_id;
  std::optional<InferenceConfig> inference_config;  // absent: the first model's stored one
  Ceiling ceiling;
  Objective objective;
  Accelerator accelerator;
  std::string runtime;  // "": the server's
  std::chrono::seconds budget{300};
  /// Somebody named the budget, rather than leaving it to the server: it is a hard end then, and no
  /// start is added to it.
  bool budget_given = false;
  std::uint64_t seed = 1;
  /// Of the objective's load in one more container at the answer, after its proof.
  std::chrono::seconds soak{0};  // at most kLongestSoak
  /// Nothing is measured before other work leaves the host quiet, for an hour at most.
  bool when_quiet = false;
};

struct Progress {
  std::string phase;
  double fraction = 0;  // 0 to 1, of the whole profile
  std::string message;
  std::optional<double> seconds_left;
};

/// Why there is no answer.
struct ProfileError {
  std::string code;  // PascalCase, stable: "OutOfMemory", "StartTimedOut", "ModelCrashed"…
  std::string message;
  std::vector<std::string> advice;
  std::string evidence;  // last log lines, the first failing body…
  /// Where a framework told of one in the evidence, or in more of the log than that.
  std::optional<AllocationFailure> allocation = {};
};

struct HostFacts {
  std::string cpu_model;
  int cores = 0;
  Bytes memory;
  int cgroup_version = 0;   // 1 or 2; 0 is not known yet
  bool limits_hold = true;  // false: nothing can be limited here, so nothing searched or proven
  std::string noise;        // "quiet", or what disturbed the measurement; "" is not known
};

struct Profile {
  std::string id;
  std::string workspace;
  ProfileState state = ProfileState::kQueued;
  Progress progress;
  Timestamp created;
  std::optional<Timestamp> started;
  std::optional<Timestamp> finished;
  ProfileRequest request;  // as it was resolved: ids carry versions, ceilings are filled in
  Ceiling asked_ceiling;   // before it was filled in; the server's alone
  std::optional<ConnectionUse> asked_connections = {};  // likewise
  std::optional<Recommendation> recommendation;
  std::optional<NoAnswer> no_answer;  // of one that succeeded, in its place
  std::optional<Measurements> measurements;
  Findings findings;
  std::vector<ProfileCapture> captures;  // in the order they were taken
  std::vector<Warning> warnings;
  std::vector<Rerun> reruns;  // oldest first; the server's alone, users see their warnings
  std::optional<ProfileError> error;
  std::optional<HostFacts> host;
};

}  // namespace mlprof
