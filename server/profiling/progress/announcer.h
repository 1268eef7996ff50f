// Tells whoever watches a profile what happens in it, as it happens. An interface: a test watches
// without the hub. Used by the thread that runs the profile.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "common/domain/trial.h"
#include "server/replay/agent_session.h"

namespace mlprof::server {

class Announcer {
 public:
  virtual ~Announcer() = default;

  /// The phase of the profile's progress began.
  virtual void PhaseBegan(const Profile& profile) = 0;
  virtual void PhaseEnded(const std::string& phase, std::chrono::duration<double> took) = 0;
  virtual void Progressed(const Progress& progress) = 0;
  /// The live line of a replay; thinned out to what a person can read.
  virtual void Replaying(const LiveReplay& replay, const std::optional<Sample>& last_sample) = 0;
  virtual void TrialDone(const Trial& trial) = 0;
  virtual void Logged(std::string_view text) = 0;
};

}  // namespace mlprof::server
