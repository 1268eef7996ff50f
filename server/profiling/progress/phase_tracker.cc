#include "server/profiling/progress/phase_tracker.h"

#include <algorithm>

namespace mlprof::server {

void PhaseTracker::Enter(const PhaseShare& phase, const std::string& message) {
  phase_ = phase;
  began_ = Now();
  profile_.state = phase.state;
  profile_.progress = {phase.name, NoLess(phase.from), message, std::nullopt};
  journal_.Save(profile_);
  announcer_.PhaseBegan(profile_);
}

void PhaseTracker::Finish(const std::string& outcome) {
  profile_.progress.fraction = NoLess(phase_.to);
  journal_.FinishPhase(profile_, phase_.name, began_, outcome);
  announcer_.PhaseEnded(phase_.name, Now() - began_);
}

void PhaseTracker::Progressed(double fraction, const std::string& message,
                              std::optional<double> seconds_left) {
  const double share = std::clamp(fraction, 0.0, 1.0) * (phase_.to - phase_.from);
  profile_.progress.fraction = NoLess(phase_.from + share);
  profile_.progress.message = message;
  profile_.progress.seconds_left = seconds_left;
  announcer_.Progressed(profile_.progress);
}

double PhaseTracker::NoLess(double fraction) {
  told_ = std::max(told_, fraction);
  return told_;
}

}  // namespace mlprof::server
