// Which phase of a profile is on, and how far: kept in the profile, written down and announced.
// Used by the thread that runs the profile.
#pragma once

#include <optional>
#include <string>

#include "server/profiling/progress/announcer.h"
#include "server/profiling/progress/journal.h"
#include "server/profiling/progress/phase_shares.h"

namespace mlprof::server {

class PhaseTracker {
 public:
  /// All must outlive it.
  PhaseTracker(Profile& profile, Journal& journal, Announcer& announcer)
      : profile_(profile), journal_(journal), announcer_(announcer) {}

  /// Moves the profile to the phase's state.
  void Enter(const PhaseShare& phase, const std::string& message);
  /// The phase is over: the profile is written down as it stands.
  void Finish(const std::string& outcome);
  /// `fraction` within the phase, 0 to 1. `seconds_left` of the whole budget.
  void Progressed(double fraction, const std::string& message, std::optional<double> seconds_left);

 private:
  Profile& profile_;
  Journal& journal_;
  Announcer& announcer_;
  PhaseShare phase_{"", ProfileState::kQueued, 0, 0};
  Timestamp began_;
};

}  // namespace mlprof::server
