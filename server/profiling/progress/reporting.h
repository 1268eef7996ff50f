// To whom a run reports as it goes on: the journal for what is stored, the announcer for what is
// shown. Interfaces, so that a test needs neither the database nor the hub. Used by the thread that
// runs the profile.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "common/domain/series.h"
#include "common/domain/trial.h"
#include "common/result/result.h"
#include "server/replay/agent_session.h"

namespace mlprof::server {

struct NewArtifact;

/// What a run writes down as it goes on, for those who read it later.
class Journal {
 public:
  virtual ~Journal() = default;

  /// The profile as it stands.
  virtual void Save(const Profile& profile) = 0;
  /// Likewise, with one of its phases behind it. Every phase ends with a committed record.
  virtual void FinishPhase(const Profile& profile, const std::string& phase, Timestamp began,
                           const std::string& outcome) = 0;
  virtual void Add(const Trial& trial) = 0;
  /// Of a container that is done; times count from the beginning of the run.
  virtual void Add(std::span<const Series> all) = 0;
  virtual void Add(std::span<const RowRecord> rows) = 0;
  virtual void Log(std::string_view text) = 0;
  /// Attaches a file to the profile (server/registry/artifact_store.h). One that cannot be kept
  /// ends no run: it proves nothing of the answer. Whoever needs it looks at the status.
  virtual Status Keep(const NewArtifact& artifact) = 0;
};

/// Tells whoever watches a profile what happens in it, as it happens.
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
