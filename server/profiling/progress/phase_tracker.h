// Which phase of a profile is on, and how far: kept in the profile, written down and announced. The
// table of all phases with their shares of the progress is here too. Used by the thread that runs
// the profile.
#pragma once

#include <optional>
#include <string>

#include "common/domain/profile.h"
#include "server/profiling/progress/reporting.h"

namespace mlprof::server {

/// A phase's place in the whole: where its share of the progress begins and ends (0 to 1).
struct PhaseShare {
  const char* name;
  ProfileState state;
  double from;
  double to;
};

/// The phases in their order, with the share of the whole progress each takes.
namespace shares {

inline constexpr PhaseShare kPrepare{"prepare", ProfileState::kPreparing, 0.00, 0.08};
inline constexpr PhaseShare kPreflight{"preflight", ProfileState::kStarting, 0.08, 0.10};
inline constexpr PhaseShare kColdStarts{"coldStarts", ProfileState::kStarting, 0.10, 0.20};
inline constexpr PhaseShare kWarmUp{"warmUp", ProfileState::kProfiling, 0.20, 0.24};
inline constexpr PhaseShare kRows{"rows", ProfileState::kProfiling, 0.24, 0.30};
inline constexpr PhaseShare kLoad{"load", ProfileState::kProfiling, 0.30, 0.37};
inline constexpr PhaseShare kPlateau{"plateau", ProfileState::kProfiling, 0.37, 0.42};
inline constexpr PhaseShare kSearchCpu{"searchCpu", ProfileState::kProfiling, 0.42, 0.51};
inline constexpr PhaseShare kLoadCurve{"loadCurve", ProfileState::kProfiling, 0.51, 0.55};
inline constexpr PhaseShare kSearchMemory{"searchMemory", ProfileState::kProfiling, 0.55, 0.60};
inline constexpr PhaseShare kThreadPools{"threadPools", ProfileState::kProfiling, 0.60, 0.62};
inline constexpr PhaseShare kDeviceMemory{"deviceMemory", ProfileState::kProfiling, 0.62, 0.63};
inline constexpr PhaseShare kVerify{"verify", ProfileState::kVerifying, 0.63, 0.85};
/// The load curve where it comes behind the proof.
inline constexpr PhaseShare kWaitingCurves{"loadCurve", ProfileState::kVerifying, 0.85, 0.88};
inline constexpr PhaseShare kTightness{"tightness", ProfileState::kVerifying, 0.88, 0.95};
inline constexpr PhaseShare kSustainedLoad{"sustainedLoad", ProfileState::kVerifying, 0.95, 0.97};
inline constexpr PhaseShare kArenas{"arenas", ProfileState::kVerifying, 0.97, 0.98};
inline constexpr PhaseShare kSoak{"soak", ProfileState::kVerifying, 0.98, 0.99};
inline constexpr PhaseShare kCaptures{"captures", ProfileState::kVerifying, 0.99, 1.00};

}  // namespace shares

class PhaseTracker {
 public:
  /// All must outlive it.
  PhaseTracker(Profile& profile, Journal& journal, Announcer& announcer)
      : profile_(profile), journal_(journal), announcer_(announcer) {}

  /// Moves the profile to the phase's state.
  void Enter(const PhaseShare& phase, const std::string& message);
  /// The phase is over: the profile is written down as it stands.
  void Finish(const std::string& outcome);
  /// `fraction` within the phase, 0 to 1; what begins anew stays where it was, so that the whole
  /// never goes back. `seconds_left` of the whole budget.
  void Progressed(double fraction, const std::string& message, std::optional<double> seconds_left);

 private:
  double NoLess(double fraction);

  Profile& profile_;
  Journal& journal_;
  Announcer& announcer_;
  PhaseShare phase_{"", ProfileState::kQueued, 0, 0};
  Timestamp began_;
  double told_ = 0;
};

}  // namespace mlprof::server
